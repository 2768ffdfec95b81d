import { modelLimitsOf } from '@operon/contracts/plans'
import { useSession } from '../api/session.ts'
import { useSubscription } from '../api/subscription.ts'
import type { InputLimit } from './tooLong.ts'

/** The length that every plan takes: a shorter message does not ask for the plan. */
const anyPlan = modelLimitsOf('none').inputCharacters * 0.9

/** How many characters may be sent: the field's own limit or the plan's, whichever is less. */
export function useInputLimit(text: string, own: number): InputLimit {
  const asks = text.length > anyPlan
  const { user } = useSession({ eager: asks })
  const { data } = useSubscription(asks ? user?.id : undefined)
  const plan = data?.max_characters ?? own
  return plan < own ? { characters: plan, isPlans: true } : { characters: own, isPlans: false }
}
