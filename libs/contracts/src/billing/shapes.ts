import { z } from 'zod'
import { plain } from '../contract.ts'
import { planIds } from '../plans.ts'

export const PlanId = z.enum(planIds)
export const time = z.iso.datetime()
export const Currency = plain(z.string().length(3))
export const payment = z.object({ payment: plain(z.string()), amount_cents: z.int(), currency: Currency })
