import { z } from 'zod'
import { event, fn, id, job, plain, time } from './contract.ts'
import { type ServiceName, serviceNames } from './services.ts'

// A person who deleted their account: identity says so (`identity.user_deleted`), every service that holds something of theirs erases it by
// a job within 30 days and answers, and identity keeps the account of who has not.

export const ERASE_WITHIN_DAYS = 30

/** Identity deletes by itself, and the sandbox holds nothing of real people. */
const others = ['identity', 'sandbox'] as const
/** The services that hold something of a person, and answer once it is gone. */
export type Erasing = Exclude<ServiceName, (typeof others)[number]>
export const erasing = serviceNames.filter((name): name is Erasing => !(others as readonly string[]).includes(name))

export const Erased = z.object({
  /** How many rows went, by table. */
  deleted: plain(z.record(z.string(), z.int())),
  /** How many stay without the person. */
  anonymised: plain(z.record(z.string(), z.int())),
  /** Rows that stay because the law requires it, and why. */
  kept: plain(z.record(z.string(), z.string())),
})
export type Erased = z.output<typeof Erased>

export const userErased = (service: Erasing) => event(`${service}.user_erased`, Erased)
export const eraseUser = (service: Erasing) => job(`${service}.erase_user`, z.object({ user_id: z.uuid() }), { attempts: 20 })

export const accountErasures = fn('account-erasures', {
  access: 'staff',
  rate: 'read',
  summary: 'Deleted accounts and which services have erased what they held',
  description: 'The newest first, 500 at a time: `cursor` is what the page before answered with, and null on the last one.',
  body: z
    .object({ user_id: id('user').optional(), only: z.enum(['open', 'overdue']).optional(), cursor: z.string().max(120).nullish() })
    .prefault({}),
  reply: z.object({
    open: z.int(),
    overdue: z.int(),
    erasures: z.array(
      z.object({
        user_id: z.uuid(),
        service: z.enum(erasing),
        asked_at: time,
        due_at: time,
        erased_at: time.nullable(),
        report: Erased.nullable(),
      }),
    ),
    cursor: z.string().nullish(),
  }),
})
