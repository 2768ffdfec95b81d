import { z } from 'zod'
import { planIds } from '../plans.ts'

export const PlanId = z.enum(planIds)
export const time = z.iso.datetime()
export const Currency = z.string().length(3)
export const payment = z.object({ payment: z.string(), amount_cents: z.int(), currency: Currency })
