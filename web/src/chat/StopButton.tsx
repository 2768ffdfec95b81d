import { Square } from 'lucide-react'
import { Button } from '../ui/Button.tsx'

export function StopButton({ label = 'Stop', onStop }: { label?: string; onStop: () => void }) {
  return (
    <Button onClick={onStop}>
      <Square className="fill-current" />
      {label}
    </Button>
  )
}
