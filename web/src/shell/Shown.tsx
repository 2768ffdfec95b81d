import type { ComponentProps } from 'react'
import { ActionCard } from '../features/analyst/ActionCard.tsx'
import { LaneCard } from '../features/lab/LaneCard.tsx'

// The tools' own components for the landing page's screens: features do not import each other.

export function ShownProposal({ action }: Pick<ComponentProps<typeof ActionCard>, 'action'>) {
  return <ActionCard action={action} onMark={async () => {}} />
}

export type ShownLaneState = ComponentProps<typeof LaneCard>['lane']
export function ShownLane(props: ComponentProps<typeof LaneCard>) {
  return <LaneCard {...props} />
}
