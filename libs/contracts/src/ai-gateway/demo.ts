import { TRIAL_DAYS } from '../plans.ts'

// The plan of a demo, for billing and ai-gateway alike.

/** A demo is on the last day of its trial. */
export const demoTrialBegan = (endsAt: string): Date => new Date(Date.parse(endsAt) - TRIAL_DAYS * 86_400_000)
/** How many answers it has had by then. */
export const demoPrompts = 24
