import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { emailWorld } from '@operon/deploy/email/world'
import { startPostgres } from '@operon/deploy/postgres'
import { sql } from 'kysely'

/** Design and DKIM cost most: one core makes 70 to 130 such emails a second. listmonk is said to send 50,000 a minute, unsigned to a relay; not measured here. */
const goals = { perSecond: 70, freezeMs: 5_000 }
const LISTMONK_A_MINUTE = 50_000

/** One campaign from its start to its last recipient, each email rendered, signed by our own key and handed to the sandbox's mail server beside it. */
export async function benchSending({ short }: { short: boolean }) {
  const recipients = short ? 1_000 : 20_000
  const folder = mkdtempSync(join(tmpdir(), 'bench-crm-'))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'pg') })
  process.env.OPERON_TEST_PG = postgres.url
  const { platform, db, seller, draft, call, campaign } = await emailWorld()
  try {
    const ann = await seller('enterprise')
    await sql`
      insert into leads (id, user_id, name, email, status, source)
      select uuidv7(), ${ann.id}, 'Contact ' || n, 'c' || n || '@example.com', 'new', 'import' from generate_series(1, ${recipients}) n`.execute(
      db,
    )
    const id = await draft(ann)
    const began = performance.now()
    const { body } = await call('send-campaign', ann, { campaign_id: id })
    if (body.recipients !== recipients) throw new Error(`send-campaign: ${JSON.stringify(body)}`)
    const frozen = Math.round(performance.now() - began)
    console.log(`recipients settled: ${recipients} in ${frozen} ms (goal ${goals.freezeMs})${frozen > goals.freezeMs ? '  MISSED' : ''}`)
    let state = await campaign(id)
    for (const end = Date.now() + 600_000; state.status === 'sending' && Date.now() < end; state = await campaign(id)) await delay(100)
    if (state.sent_count !== recipients) throw new Error(`${state.status}: ${state.sent_count} of ${recipients} were sent`)
    const perSecond = recipients / ((performance.now() - began) / 1000)
    console.log(
      `sending: ${perSecond.toFixed(0)} emails a second, ${Math.round(perSecond * 60)} a minute, each row settled once (goal ${goals.perSecond} a second; listmonk: ${LISTMONK_A_MINUTE} a minute)${perSecond < goals.perSecond ? '  MISSED' : ''}`,
    )
  } finally {
    await platform.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
