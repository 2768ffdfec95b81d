import { Suspense, useRef } from 'react'
import { lazyPart } from '../lazyPage.tsx'
import { BesideBoundary } from './ErrorBoundary.tsx'

// Fetched when it is first opened.
const AssistantDialog = lazyPart(async () => (await import('../features/assistant/AssistantDialog.tsx')).AssistantDialog)

export function AssistantHost({ open, onClose }: { open: boolean; onClose: () => void }) {
  const opened = useRef(false)
  opened.current ||= open
  if (!opened.current) return null

  // Code that did not come is fetched again only when the dialog is opened again.
  function fail() {
    opened.current = false
    onClose()
  }

  return (
    <BesideBoundary onFail={fail}>
      <Suspense fallback={null}>
        <AssistantDialog open={open} onClose={onClose} />
      </Suspense>
    </BesideBoundary>
  )
}
