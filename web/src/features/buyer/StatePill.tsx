import { Pill } from '../../ui/Panel.tsx'
import type { Order } from './queries.ts'

const words: Record<Order['state'], [string, 'good' | 'info' | 'warn' | 'bad' | 'neutral']> = {
  open: ['Waiting for payment', 'info'],
  paid: ['Paid', 'info'],
  delivered: ['Delivered', 'good'],
  refunded: ['Refunded', 'neutral'],
  failed: ['Not paid', 'bad'],
}

export function StatePill({ state }: { state: Order['state'] }) {
  const [label, tone] = words[state]
  return <Pill tone={tone}>{label}</Pill>
}
