import { setTimeout as wait } from 'node:timers/promises'
import { campaignProgress } from '@operon/contracts/crm/email/events'
import { crmUsageRecorded } from '@operon/contracts/usage'
import { DomainError } from '@operon/kit/errors'
import { type Pace, takeNow } from '@operon/kit/mail/paces'
import { type Reservation, reserve } from '@operon/kit/meter'
import { Rest } from '@operon/kit/rest'
import type { Runtime } from '@operon/kit/service'
import { release, settle } from '@operon/kit/settle'
import { inTransaction } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import type { CampaignRow } from './campaigns.ts'
import { type Fields, letterOf, personOf, type RecipientRow } from './letter.ts'
import { linksOf } from './links.ts'
import { pauseByItself } from './send.ts'
import { noteOutcome, noteProblem } from './sequences/problem.ts'
import { finishCampaign, type Settled, settleRecipients } from './settle.ts'
import { LEFT_TOPIC } from './topics.ts'
import type { Carriers, SenderRow, Transport } from './transports.ts'

// Each instance takes turns: a campaign that was served longest ago, a handful of its recipients, one call for each, and one write for all
// that came of it. A recipient is marked as `sending` right before the call. Of an instance that dies, those become `unknown` when their lease
// runs out: they are looked up, and never sent to again. Whoever was only claimed goes back.

export type EngineRt = Pick<Runtime<CrmDb, unknown>, 'broadcast' | 'kit' | 'log' | 'vault'> & { db: Kysely<any> }
export type Engine = {
  rt: EngineRt
  carriers: Carriers
  /** How much one account, and all of them, may send an hour. */
  paces: (db: Kysely<any>, userId: string) => Promise<Pace[]>
  leaseMs: number
  /** How many turns at once. */
  width: number
}

const BATCH = 20
const POLL_MS = 1_000
const REST_MS = 5_000
/** A paused sequence is looked at so often; resuming it needs no wait. */
const PAUSED_MS = 60_000
const UNUSABLE =
  'Its sender cannot be used at the moment. It is tried again automatically. If this continues, open the sender and save it again.'

export function startEngine(engine: Engine): { nudge(): void; stop(): Promise<void> } {
  const stopping = new AbortController()
  let wake = new AbortController()
  const rest = new Rest(POLL_MS, REST_MS)
  async function work() {
    while (!stopping.signal.aborted) {
      const found = await turn(engine).catch((err: unknown) => {
        if (!stopping.signal.aborted) engine.rt.log.warn({ err }, 'a turn of the campaigns failed, will try again')
        return false
      })
      if (found) {
        rest.end()
        continue
      }
      const signal = AbortSignal.any([stopping.signal, wake.signal])
      await wait(rest.next(), undefined, { signal, ref: false }).catch(() => {})
    }
  }
  const working = Array.from({ length: engine.width }, work)
  return {
    nudge() {
      wake.abort()
      wake = new AbortController()
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(working)
    },
  }
}

/** False when there was nothing to do. */
export async function turn(engine: Engine): Promise<boolean> {
  const { db } = engine.rt
  const campaign = await nextCampaign(db)
  if (!campaign) return false
  const sender: SenderRow | undefined = await (db as Kysely<CrmDb>)
    .selectFrom('email_senders')
    .selectAll()
    .where('id', '=', campaign.sender_id ?? campaign.id)
    .where('user_id', '=', campaign.user_id)
    .executeTakeFirst()
  if (!sender) return pause(engine, campaign, 'Its sender was deleted. Choose another one.')
  let transport: Transport
  try {
    transport = await engine.carriers.of(sender)
  } catch (error) {
    if (error instanceof DomainError && error.code.startsWith('sender_')) return pause(engine, campaign, error.message)
    const { sequence_id, user_id, id } = campaign
    if (sequence_id) await inTransaction(db, (trx: Trx) => noteProblem(trx, { id: sequence_id, userId: user_id, step: id }, UNUSABLE))
    throw error
  }
  let got: Awaited<ReturnType<typeof claim>>
  try {
    got = await claim(engine, campaign)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'limit_emails') return pause(engine, campaign, error.message)
    throw error
  }
  const { claimed, waitMs, hold } = got
  if (claimed.length === 0) return rest(engine, campaign, waitMs)
  const settled = await sendAll(engine, { campaign, sender, transport }, claimed)
  const broken = settled.find(({ broken }) => broken)?.reason ?? refusedOf(settled)
  const after = await inTransaction(db, async (trx: Trx) => {
    const row = await settleRecipients(trx, campaign, settled)
    if (hold) await settleHold(trx, hold, settled)
    if (broken) await pauseByItself(trx, campaign.id, broken)
    else await noteOutcome(trx, campaign, settled)
    return row
  })
  await tell(engine, after)
  return true
}

async function nextCampaign(db: Kysely<any>): Promise<CampaignRow | null> {
  const { rows } = await sql<CampaignRow>`
    update email_campaigns set served_at = clock_timestamp() where id = (
      select id from email_campaigns where status = 'sending' and next_at <= clock_timestamp() order by served_at limit 1 for update skip locked)
    returning *`.execute(db)
  return rows[0] ?? null
}

type Claimed = Pick<RecipientRow, 'id' | 'email' | 'name' | 'variant' | 'fence'> & Fields & { suppressed: string | null }

async function claim(
  { rt: { db }, paces, leaseMs }: Engine,
  { id, user_id, sequence_id, topic_id }: CampaignRow,
): Promise<{ claimed: Claimed[]; waitMs: number; hold?: Hold }> {
  const of = await paces(db, user_id)
  return inTransaction(db, async (trx: Trx) => {
    // A pause or a cancellation locks the row: either they see these claims, or nothing is claimed any more.
    const { rows: still } = await sql`select from email_campaigns where id = ${id} and status = 'sending' for share`.execute(trx)
    if (still.length === 0) return { claimed: [], waitMs: 0 }
    if (sequence_id) {
      const { rows: running } = await sql`select from email_sequences where id = ${sequence_id} and state = 'running' for share`.execute(
        trx,
      )
      if (running.length === 0) return { claimed: [], waitMs: PAUSED_MS }
    }
    const { rows: due } = await sql<{ id: string }>`
      select id from email_recipients where campaign_id = ${id} and state = 'waiting' and variant is not null and due_at <= now()
        and (lease_until is null or lease_until < now())
      order by due_at, id limit ${BATCH} for update skip locked`.execute(trx)
    if (due.length === 0) return { claimed: [], waitMs: 0 }
    const { taken, waitMs } = await takeNow(trx, of, due.length)
    if (taken === 0) return { claimed: [], waitMs }
    const hold = sequence_id ? await holdSome(trx, user_id, taken) : undefined
    const ids = due.slice(0, hold?.amount ?? taken).map((row) => row.id)
    const { rows } = await sql<Claimed>`
      with mine as (
        update email_recipients set fence = fence + 1, lease_until = now() + ${leaseMs} * interval '1 millisecond'
        where id = any(${ids}::uuid[]) returning id, email, name, variant, contact_id, fence
      )
      select mine.id, mine.email, mine.name, mine.variant, mine.fence, l.company, l.job_title, l.phone,
        case when ${sequence_id}::uuid is not null and (p.id is null or l.id is null) then 'gone' when c.state is null and o.id is not null then 'topic' else c.state end as suppressed
      from mine left join email_sequence_people p on p.recipient_id = mine.id and p.user_id = ${user_id}
        left join leads l on l.id = coalesce(p.contact_id, mine.contact_id) and l.user_id = ${user_id}
        left join consents c on c.user_id = ${user_id} and c.channel = 'email' and c.address = mine.email and c.state <> 'given'
        left join email_topic_leavers o on o.email = mine.email
          and o.topic_id = coalesce(${topic_id}::uuid, (select topic_id from email_sequences where id = ${sequence_id}))`.execute(trx)
    return { claimed: rows, waitMs: 0, ...(hold && { hold }) }
  })
}

type Hold = Pick<Reservation, 'id' | 'amount'>
/** A sequence has no end to hold its emails of the plan until, so each batch holds its own. The last of a plan go one by one. */
const holdSome = (trx: Trx, userId: string, amount: number): Promise<Hold> =>
  reserve(trx, { userId, unit: 'emails', feature: 'campaign', amount }).catch((error: unknown) => {
    if (amount === 1) throw error
    return reserve(trx, { userId, unit: 'emails', feature: 'campaign' })
  })
async function settleHold(trx: Trx, hold: Hold, settled: Done[]): Promise<void> {
  const amount = settled.filter(({ state }) => state === 'sent' || state === 'unknown').length
  if (amount > 0) await settle(trx, crmUsageRecorded, [{ id: hold.id, amount }])
  else await release(trx, hold)
}

type Done = Settled & { broken?: boolean; hard?: boolean }
const WHY: Record<string, string> = {
  ...{ withdrawn: 'Unsubscribed', bounced: 'The address bounced', complained: 'Marked an email as spam' },
  gone: 'No longer in the sequence',
  topic: LEFT_TOPIC,
}

/** So many refusals and nothing sent: the fault is the sender's or the email's, not that of the addresses. */
const REFUSED = 10
function refusedOf(done: Done[]): string | undefined {
  const refused = done.filter(({ state, hard }) => state === 'failed' && !hard)
  if (refused.length < REFUSED || done.some(({ state }) => state === 'sent')) return undefined
  const reason = refused.at(-1)!.reason?.trim().replace(/\.$/, '') ?? 'no reason given'
  return `The first ${refused.length} emails of a batch were refused: ${reason}. Check the email and its sender, then resume.`
}

async function sendAll(
  { rt, leaseMs }: Engine,
  { campaign, sender, transport }: { campaign: CampaignRow; sender: SenderRow; transport: Transport },
  claimed: Claimed[],
): Promise<Done[]> {
  const done: Done[] = []
  const waiting: { to: Claimed; mail: ReturnType<typeof letterOf> }[] = []
  for (const to of claimed) {
    const { id, fence } = to
    if (to.suppressed) {
      done.push({ id, fence, state: 'skipped', reason: WHY[to.suppressed] ?? 'Suppressed' })
      continue
    }
    try {
      const mail = letterOf(campaign, sender, to, personOf(to.name, to.email, to), linksOf(rt.vault, rt.kit.PUBLIC_URL, id))
      waiting.push({ to, mail })
    } catch (err) {
      rt.log.error({ err, campaign: campaign.id }, 'an email of a campaign could not be rendered')
      done.push({ id, fence, state: 'failed', reason: 'The email could not be made' })
    }
  }
  while (waiting.length) {
    const next = waiting.splice(0, transport.width)
    if (done.some(({ broken }) => broken) || refusedOf(done)) {
      done.push(...next.map(({ to: { id, fence } }): Done => ({ id, fence, state: 'waiting' })))
      continue
    }
    const mine = await mark(
      rt.db,
      next.map(({ to }) => to),
      leaseMs,
    )
    done.push(...(await Promise.all(next.filter(({ to }) => mine.has(to.id)).map(({ mail }) => sendOne(transport, mail)))))
  }
  return done
}

/** Right before the call. Whoever was cancelled or claimed again meanwhile is left alone. */
async function mark(db: Kysely<any>, all: Claimed[], leaseMs: number): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    update email_recipients r set state = 'sending', attempts = attempts + 1, lease_until = now() + ${leaseMs} * interval '1 millisecond'
    from unnest(${all.map(({ id }) => id)}::uuid[], ${all.map(({ fence }) => fence)}::int[]) as mine (id, fence)
    where r.id = mine.id and r.fence = mine.fence and r.state = 'waiting' returning r.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

async function sendOne(transport: Transport, mail: ReturnType<typeof letterOf>): Promise<Done> {
  const { id } = mail
  const outcome = await transport.send(mail).catch((): { state: 'unknown'; reason: string } => ({ state: 'unknown', reason: 'No answer' }))
  if (outcome.state === 'broken') return { id, state: 'waiting', reason: outcome.reason || 'The provider refuses to send.', broken: true }
  if (outcome.state === 'later') return { id, state: 'waiting', reason: outcome.reason, afterMs: outcome.afterMs }
  return { id, ...outcome }
}

/** Nothing is due: it has finished, or goes on at a known time. */
async function rest({ rt }: Engine, { id, decide_at }: CampaignRow, waitMs: number): Promise<boolean> {
  const finished = waitMs > 0 ? null : await inTransaction(rt.db, (trx: Trx) => finishCampaign(trx, id))
  if (finished) {
    await tell({ rt } as Engine, finished)
    return true
  }
  await sql`
    update email_campaigns set next_at = greatest(clock_timestamp() + interval '250 milliseconds', case when ${waitMs}::float8 > 0
      then clock_timestamp() + ${waitMs} * interval '1 millisecond'
      else least(clock_timestamp() + interval '1 minute', coalesce((
        select min(due_at) from email_recipients where campaign_id = ${id} and state = 'waiting' and variant is not null), ${decide_at}::timestamptz,
        clock_timestamp() + interval '2 seconds')) end)
    where id = ${id}`.execute(rt.db)
  return true
}

async function pause({ rt }: Engine, { id }: CampaignRow, reason: string): Promise<boolean> {
  await inTransaction(rt.db, (trx: Trx) => pauseByItself(trx, id, reason))
  return true
}

const TOLD_EVERY_MS = 500
const toldAt = new Map<string, number>()
/** A page that misses one hears the next, so a lost one costs nothing. */
export async function tell({ rt }: Pick<Engine, 'rt'>, row: CampaignRow): Promise<void> {
  if (row.status === 'sending' && performance.now() - (toldAt.get(row.id) ?? -TOLD_EVERY_MS) < TOLD_EVERY_MS) return
  if (toldAt.size > 1000) toldAt.clear()
  toldAt.set(row.id, performance.now())
  const { id: campaign_id, user_id, status, sent_count: sent, recipients, opened_count: opened, clicked_count: clicked } = row
  await rt
    .broadcast(campaignProgress, { campaign_id, user_id, status, sent, recipients, opened, clicked })
    .catch((err: unknown) => rt.log.debug({ err }, 'no page could be told of a campaign'))
}
