import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CampaignRow } from './campaigns.ts'
import { type Engine, tell } from './engine.ts'
import { beginCampaign, pauseByItself } from './send.ts'
import { stepSequences } from './sequences/step.ts'
import { finishCampaign, type Settled, settleRecipients } from './settle.ts'
import type { SenderRow } from './transports.ts'

const PIECE = 200

/** Work that no recipient waits for by itself: scheduled starts, dead workers, lost answers and the better subject. */
export async function tickCampaigns(engine: Engine, signal: AbortSignal): Promise<void> {
  await startScheduled(engine, signal)
  await stepSequences(engine, signal)
  await takeBackLeases(engine, signal)
  await lookForUnknown(engine, signal)
  await decideSubjects(engine, signal)
}

export async function startScheduled({ rt: { db, log } }: Pick<Engine, 'rt'>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { rows } = await sql<{ id: string }>`
      select id from email_campaigns where status = 'scheduled' and scheduled_at <= now() order by scheduled_at limit 1`.execute(db)
    const id = rows[0]?.id
    if (!id) return
    await inTransaction(db, async (trx: Trx) => {
      const { rows: locked } = await sql<CampaignRow>`
        select * from email_campaigns where id = ${id} and status = 'scheduled' and scheduled_at <= now() for update`.execute(trx)
      if (locked[0]) await beginCampaign(trx, locked[0])
    }).catch(async (error: unknown) => {
      const reason = error instanceof DomainError ? error.message : 'It could not be started. Resume it to try again.'
      if (!(error instanceof DomainError))
        log.error({ err: error, campaign: id }, 'a scheduled campaign could not be started, it is paused')
      await inTransaction(db, (trx: Trx) => pauseByItself(trx, id, reason))
    })
  }
}

type Found = { id: string; campaign_id: string; user_id: string; name: string }

/** The worker that had them died, or is too late: whether these emails went out is not known. */
async function takeBackLeases({ rt }: Pick<Engine, 'rt'>, signal: AbortSignal): Promise<number> {
  let all = 0
  for (let count = PIECE; count === PIECE; all += count) {
    signal.throwIfAborted()
    const { rows } = await sql<Found>`
      select r.id, r.campaign_id, c.user_id, c.name from email_recipients r join email_campaigns c on c.id = r.campaign_id
      where r.state = 'sending' and r.lease_until < now() order by r.lease_until limit ${PIECE}`.execute(rt.db)
    count = rows.length
    for (const [campaign, mine] of byCampaign(rows))
      await settleAll(
        rt,
        campaign,
        mine.map(({ id }) => ({ id, state: 'unknown', reason: 'Nobody knows whether it went out: it is not sent again' })),
      )
  }
  return all
}

const byCampaign = <T extends Found>(rows: T[]) => {
  const groups = new Map<string, T[]>()
  for (const row of rows) groups.set(row.campaign_id, [...(groups.get(row.campaign_id) ?? []), row])
  return [...groups.values()].map((mine) => [{ id: mine[0]!.campaign_id, user_id: mine[0]!.user_id, name: mine[0]!.name }, mine] as const)
}

async function settleAll(rt: Engine['rt'], campaign: { id: string; user_id: string; name: string }, settled: Settled[]): Promise<void> {
  const row = await inTransaction(rt.db, async (trx: Trx) => {
    const after = await settleRecipients(trx, campaign, settled)
    return (await finishCampaign(trx, campaign.id)) ?? after
  })
  await tell({ rt }, row)
}

const LOOKS_AFTER_MIN = [1, 5, 30, 180, 1440]
/** Asks the provider for those whose answer was lost. One that is not found stays `unknown`. */
async function lookForUnknown({ rt, carriers }: Pick<Engine, 'rt' | 'carriers'>, signal: AbortSignal): Promise<void> {
  const { rows } = await sql<Found & { email: string; sender_id: string; looks: number; started_at: Date }>`
    select r.id, r.campaign_id, r.email, r.looks, c.user_id, c.name, c.sender_id,
      case when c.sequence_id is null then c.started_at else r.due_at end as started_at
    from email_recipients r join email_campaigns c on c.id = r.campaign_id
    where r.state = 'unknown' and r.look_at <= now() order by r.look_at limit ${PIECE}`.execute(rt.db)
  for (const [campaign, mine] of byCampaign(rows)) {
    const sender = await senderById(rt.db, campaign.user_id, mine[0]!.sender_id)
    const transport = sender && (await carriers.of(sender).catch(() => null))
    const settled: Settled[] = []
    for (const { id, email, started_at } of mine) {
      signal.throwIfAborted()
      if (transport && (await transport.find({ id, to: email, since: started_at }).catch(() => false))) settled.push({ id, state: 'sent' })
    }
    const found = new Set(settled.map(({ id }) => id))
    if (settled.length) await settleAll(rt, campaign, settled)
    await sql`
      update email_recipients set looks = looks + 1,
        look_at = now() + (${LOOKS_AFTER_MIN}::int[])[looks + 1] * interval '1 minute'
      where id = any(${mine.map(({ id }) => id).filter((id) => !found.has(id))}::uuid[]) and state = 'unknown'`.execute(rt.db)
  }
}

const senderById = (db: Kysely<any>, userId: string, id: string | null): Promise<SenderRow | undefined> =>
  db.selectFrom('email_senders').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst() as Promise<
    SenderRow | undefined
  >

/** The subject with more clicks for each that was sent, then with more opens, gets the rest. */
export async function decideSubjects({ rt }: Pick<Engine, 'rt'>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const done = await inTransaction(rt.db, async (trx: Trx) => {
      const { rows } = await sql<CampaignRow>`
        select * from email_campaigns where status = 'sending' and decide_at <= now() order by decide_at limit 1 for update skip locked`.execute(
        trx,
      )
      const campaign = rows[0]
      if (!campaign) return true
      const { rows: variants } = await sql<{ variant: 'a' | 'b' }>`
        select variant from email_recipients where campaign_id = ${campaign.id} and variant is not null group by variant
        order by count(clicked_at)::float8 / greatest(1, count(sent_at)) desc, count(opened_at)::float8 / greatest(1, count(sent_at)) desc, variant
        limit 1`.execute(trx)
      const winner = variants[0]?.variant ?? 'a'
      await sql`update email_recipients set variant = ${winner} where campaign_id = ${campaign.id} and variant is null`.execute(trx)
      await sql`update email_campaigns set winner = ${winner}, decide_at = null, next_at = now() where id = ${campaign.id}`.execute(trx)
      return false
    })
    if (done) return
  }
}
