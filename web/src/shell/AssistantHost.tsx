import { type ComponentType, lazy, Suspense } from 'react'

export type AssistantDialogProps = { open: boolean; onClose: () => void }

// The dialog is a feature of its own: fetched when it is first opened.
const found = import.meta.glob<{ AssistantDialog: ComponentType<AssistantDialogProps> }>('../features/assistant/AssistantDialog.tsx')
const load = Object.values(found)[0]
export const hasAssistant = Boolean(load)

const AssistantDialog = lazy(async () => ({ default: (await load!()).AssistantDialog }))

export function AssistantHost({ open, onClose }: AssistantDialogProps) {
  if (!hasAssistant || !open) return null
  return (
    <Suspense fallback={null}>
      <AssistantDialog open={open} onClose={onClose} />
    </Suspense>
  )
}
