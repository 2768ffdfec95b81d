import { lazy, Suspense, useRef } from 'react'

// Fetched when it is first opened.
const AssistantDialog = lazy(async () => ({ default: (await import('../features/assistant/AssistantDialog.tsx')).AssistantDialog }))

export function AssistantHost({ open, onClose }: { open: boolean; onClose: () => void }) {
  const opened = useRef(false)
  opened.current ||= open
  if (!opened.current) return null
  return (
    <Suspense fallback={null}>
      <AssistantDialog open={open} onClose={onClose} />
    </Suspense>
  )
}
