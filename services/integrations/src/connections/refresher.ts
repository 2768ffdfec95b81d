// One process of several that refresh the tokens of the same connections, for tests that stop and kill it. Spoken to over IPC.
import { openTestProcess } from '@operon/kit/testing/process'
import { openPlaces } from '../apps/place.ts'
import { Config } from '../config.ts'
import type { IntegrationsDb } from '../schema.ts'
import { openTokens } from './tokens.ts'

type Asked = { ids: string[]; times: number }
const { standIn, ...settings } = JSON.parse(process.argv[2]!) as { databaseUrl: string; dataDir: string; standIn: string }
const { db, kit, metrics, vault, log } = await openTestProcess<IntegrationsDb>(settings)
const config = Config.parse({})
const rt: any = { name: 'integrations', db, vault, metrics, kit, config, log, ask: async () => ({ url: standIn }) }
const tokens = openTokens(rt, openPlaces(rt))

async function outcome(id: string): Promise<string> {
  try {
    const row = await db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return `token ${(await tokens.fresh(row)).held.access}`
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}
process.on('message', async ({ ids, times }: Asked) => {
  const asked = ids.flatMap((id) => Array.from({ length: times }, () => outcome(id)))
  process.send?.(await Promise.all(asked))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
