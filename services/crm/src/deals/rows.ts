import type { Output } from '@operon/contracts/contract'
import type { updateDeal } from '@operon/contracts/crm/deals'
import { DomainError } from '@operon/kit/errors'
import { type Kysely, type RawBuilder, sql } from 'kysely'

export type Deal = Output<typeof updateDeal>
export type DealRow = Omit<Deal, 'created_at' | 'stage_since' | 'amount_cents'> & {
  created_at: Date
  stage_since: Date
  amount_cents: number | string
}

/** Of `deals d`. A contact that was deleted waits without its name. */
export const dealColumns: RawBuilder<unknown> = sql`d.id, d.title, d.pipeline_id, d.stage_id, d.contact_id,
  (select l.name from leads l where l.id = d.contact_id and l.user_id = d.user_id) as contact_name, d.amount_cents, d.currency,
  to_char(d.expected_close, 'YYYY-MM-DD') as expected_close, d.owner, d.state, d.lost_reason, d.stage_since, d.created_at, d.version`

export const dealOf = ({ created_at, stage_since, amount_cents, ...row }: DealRow): Deal => ({
  ...row,
  amount_cents: Number(amount_cents),
  stage_since: stage_since.toISOString(),
  created_at: created_at.toISOString(),
})

export async function readDeal(db: Kysely<any>, userId: string, dealId: string): Promise<Deal> {
  const { rows } = await sql<DealRow>`
    select ${dealColumns} from deals d where d.id = ${dealId} and d.user_id = ${userId} and d.deleted_at is null`.execute(db)
  if (!rows[0]) throw new DomainError('not_found')
  return dealOf(rows[0])
}
