import { lazy, Suspense } from 'react'
import { Dialog } from '../ui/Dialog.tsx'

const CommandPalette = lazy(async () => ({ default: (await import('./CommandPalette.tsx')).CommandPalette }))

export function CommandHost({ open, onClose, onAssistant }: { open: boolean; onClose: () => void; onAssistant: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Search and commands" bare className="mt-[12vh]">
      <Suspense fallback={<div className="h-72" />}>
        <CommandPalette onClose={onClose} onAssistant={onAssistant} />
      </Suspense>
    </Dialog>
  )
}
