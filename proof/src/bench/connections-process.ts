// Integrations with the stand-in of connected apps in one process; the bench reads how long a call through a connection takes beside a bare one.
import { definitionOf } from '@operon/integrations/apps/all'
import { openPlaces } from '@operon/integrations/apps/place'
import { openCalls } from '@operon/integrations/connections/call'
import { openTokens } from '@operon/integrations/connections/tokens'
import { integrationsService } from '@operon/integrations/service'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { request } from 'undici'

const { postgres, calls } = JSON.parse(process.argv[2]!) as { postgres: string; calls: number }
process.env.OPERON_TEST_PG = postgres
const platform = await startTestPlatform([integrationsService, sandboxService], { LOG_LEVEL: 'fatal' })
const rt: any = platform.services.integrations!.rt
const places = openPlaces(rt)
const call = openCalls(rt, places, openTokens(rt, places))
const key = 'rk_test_sandbox_bench'
const connected = await fetch(`${platform.url('integrations')}/functions/v1/connect-app`, {
  method: 'POST',
  headers: { ...platform.user().headers, 'content-type': 'application/json' },
  body: JSON.stringify({ app: 'stripe', key }),
})
const { connection_id: id } = (await connected.json()) as { connection_id: string }
const row = await rt.db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const who = definitionOf('stripe').who
const url = await places.of('stripe')!.wire(`https://api.stripe.com/v1${who.path}`)

async function bare() {
  const { statusCode, body } = await request(url, { headers: { authorization: `Bearer ${key}`, accept: 'application/json' } })
  await body.json()
  if (statusCode !== 200) throw new Error(`the stand-in answered ${statusCode}`)
}
const through = () => call(row, () => who, { action: 'bench', effect: 'reads' })
const timed = async (work: () => Promise<unknown>) => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const [ours, theirs]: [number[], number[]] = [[], []]
for (let n = -50; n < calls; n++) {
  // The wait for a turn is the vendor's limit, not our work; the statement that takes it is.
  await rt.db
    .updateTable('rate_buckets')
    .set({ next_at: new Date(0) })
    .where('connection_id', '=', id)
    .execute()
  const [one, other] = n % 2 ? [await timed(through), await timed(bare)] : [await timed(bare), await timed(through)].reverse()
  if (n < 0) continue
  ours.push(one!)
  theirs.push(other!)
}
process.send!({ ours, theirs })
