import { z } from 'zod'
import { plain } from '../contract.ts'
import { periods, planIds } from '../plans.ts'

export const PlanId = z.enum(planIds)
/** How often a plan is billed. */
export const Period = z.enum(periods)
export const time = z.iso.datetime()
/** Why staff do it, kept in their log. */
export const reason = z.string().trim().min(3).max(500)
/** There are older ones than those listed. */
export const More = z.boolean().optional()
export const Currency = plain(z.string().length(3))
export const payment = z.object({ payment: plain(z.string()), amount_cents: z.int(), currency: Currency })
