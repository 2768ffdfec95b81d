import { Suspense } from 'react'
import { lazyPart } from '../lazyPage.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { BesideBoundary } from './ErrorBoundary.tsx'

const CommandPalette = lazyPart(async () => (await import('./CommandPalette.tsx')).CommandPalette)

export function CommandHost({ open, onClose, onAssistant }: { open: boolean; onClose: () => void; onAssistant: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Search and commands" bare className="mt-[12vh]">
      <BesideBoundary onFail={onClose}>
        <Suspense fallback={<div className="h-72" />}>
          <CommandPalette onClose={onClose} onAssistant={onAssistant} />
        </Suspense>
      </BesideBoundary>
    </Dialog>
  )
}
