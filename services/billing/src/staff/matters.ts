import { staffMatter, tellStaff } from '@operon/contracts/billing/events'
import type * as contract from '@operon/contracts/billing/staff'
import type { Input, Output } from '@operon/contracts/contract'
import { money } from '@operon/contracts/words'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Deps, Trx } from '../deps.ts'
import type { Matter } from '../schema.ts'
import { log } from './log.ts'

type Opened = { matter: Matter; subject: string; title: string; body: string }

/** Tells staff of something that only they can settle, once while it is open. */
export async function openMatter(trx: Trx, { matter, subject, title, body }: Opened): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    insert into staff_matters (id, matter, subject, title, body, told_at, closed_at)
    values (${newId()}, ${matter}, ${subject}, ${title}, ${body}, null, null)
    on conflict (matter, subject) where closed_at is null do nothing returning id`.execute(trx)
  if (rows[0]) await enqueue(trx, tellStaff, { matter_id: rows[0].id })
}

/** The money of a refund that a bank sent back stands in suspense until staff have found another way. */
export const openRefundFailed = (trx: Trx, refund: string, payment: string, amount: { amount_cents: number; currency: string }) =>
  openMatter(trx, {
    ...{ matter: 'suspense', subject: refund, title: `A refund of ${money(amount)} came back` },
    body: `The bank did not take ${refund}, of ${payment}. Its money waits in the books as suspense, and the buyer waits for it.`,
  })

export async function closeMatter(trx: Trx | Db, matter: Matter, subject: string): Promise<void> {
  await trx
    .updateTable('staff_matters')
    .set({ closed_at: sql<Date>`now()` })
    .where('matter', '=', matter)
    .where('subject', '=', subject)
    .where('closed_at', 'is', null)
    .execute()
}

/** To each member of staff, once: that it was told commits with the telling. */
export async function tellOfMatter(deps: Deps, { db }: BillingCtx, { matter_id }: { matter_id: string }): Promise<void> {
  const staff = await deps.staff()
  await inTransaction(db, async (trx) => {
    const told = await trx
      .updateTable('staff_matters')
      .set({ told_at: sql<Date>`now()` })
      .where('id', '=', matter_id)
      .where('told_at', 'is', null)
      .returning(['matter', 'title', 'body'])
      .executeTakeFirst()
    if (told) for (const userId of staff) await publish(trx, staffMatter, userId, told)
  })
}

/** Only what nothing else would close: a dispute ends with the bank’s decision, unknown money as it is booked. */
export async function staffCloseMatter(
  ctx: BillingCtx,
  { matter_id, reason }: Input<typeof contract.staffCloseMatter>,
): Promise<Output<typeof contract.staffCloseMatter>> {
  const open = await ctx.db
    .selectFrom('staff_matters')
    .select(['subject', 'title'])
    .where('id', '=', matter_id)
    .where('matter', '=', 'payout')
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  if (!open) throw new DomainError('not_found')
  await log(ctx, 'close matter', reason, null, { about: open.subject })
  await closeMatter(ctx.db, 'payout', open.subject)
  return { closed: true }
}

const SHOWN = 100
export async function staffMatters(
  ctx: BillingCtx,
  { reason }: Input<typeof contract.staffMatters>,
): Promise<Output<typeof contract.staffMatters>> {
  await log(ctx, 'list matters', reason, null, {})
  const rows = await ctx.db
    .selectFrom('staff_matters')
    .selectAll()
    .where('closed_at', 'is', null)
    .orderBy('opened_at', 'desc')
    .limit(SHOWN + 1)
    .execute()
  return {
    matters: rows.slice(0, SHOWN).map(({ id, matter, subject, title, body, opened_at }) => ({
      ...{ id, matter, subject, title, body },
      opened_at: opened_at.toISOString(),
    })),
    more: rows.length > SHOWN,
  }
}
