import { z } from 'zod'
import { event, plain } from './contract.ts'

/** Told by whoever meters a unit, each time some of it is settled. `used` is the period's total after it. */
const usage = z.object({
  unit: z.enum(['prompts', 'images', 'emails', 'runs', 'agents']),
  used: z.int(),
  limit: z.int().nullable(),
  amount: z.int(),
  period_start: z.iso.datetime(),
  feature: plain(z.string()),
  cost_microusd: z.int().default(0),
  /** The period's cost after it, and what the plan allows; absent from the version before. */
  cost_used_microusd: z.int().optional(),
  budget_microusd: z.int().nullish(),
})
export const usageRecorded = <const S extends string>(service: S) => event(`${service}.usage_recorded`, usage)
export const aiUsageRecorded = usageRecorded('ai-gateway')
export const mediaUsageRecorded = usageRecorded('media')
export const crmUsageRecorded = usageRecorded('crm')

/** How far a job of a user's is; to the sockets of that user. */
export const jobProgress = <const S extends string>(service: S) =>
  event(
    `${service}.job_progress`,
    z.object({ user_id: z.uuid(), job: plain(z.string()), name: plain(z.string()), percent: z.number(), state: plain(z.string()) }),
    { delivery: 'broadcast', live: 'job' },
  )

/** Stops a running job, whichever instance has it. */
export const jobCancelled = <const S extends string>(service: S) =>
  event(`${service}.job_cancelled`, z.object({ id: plain(z.string()) }), { delivery: 'broadcast' })
