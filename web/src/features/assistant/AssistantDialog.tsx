import { usePlatform } from '../../api/platform.ts'
import { AssistantWindow } from './AssistantWindow.tsx'
import { useAssistant } from './useAssistant.ts'

/** Closed, it keeps its conversation and goes on with an answer that is being written. */
export function AssistantDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { product_name } = usePlatform()
  const assistant = useAssistant(product_name, open)
  return open ? <AssistantWindow assistant={assistant} onClose={onClose} /> : null
}
