// One process of several that send campaigns, for tests that kill it.
import { openDatabase } from '@operon/kit/db'
import { ProviderWatch } from '@operon/kit/providers'
import { createInfra } from '@operon/kit/service'
import { createLogger } from '@operon/kit/telemetry'
import type { CrmDb } from '../schema.ts'
import { type Engine, startEngine } from './engine.ts'
import { tickCampaigns } from './tick.ts'
import { openCarriers } from './transports.ts'

export type WorkerSettings = { databaseUrl: string; dataDir: string; smtp: string; pages: string; leaseMs: number }

const { databaseUrl, dataDir, smtp, pages, leaseMs } = JSON.parse(process.argv[2]!) as WorkerSettings
const log = createLogger('error')
const {
  config: kit,
  metrics,
  vault,
} = await createInfra({ NODE_ENV: 'test', DATA_DIR: dataDir, PUBLIC_URL: 'http://localhost:8080' }, { log })
const { db } = openDatabase<CrmDb>(databaseUrl, 8, () => {})
const ask = async (_asked: unknown, { provider }: { provider: string }) => ({ url: provider === 'smtp' ? smtp : pages })
const rt = { db, log, kit, vault, ask, broadcast: async () => {}, providers: new ProviderWatch('crm', metrics) }
const paces = async () => [{ scope: 'proof', perHour: 10_000_000 }]
const engine = { rt, carriers: openCarriers(rt as never), paces, leaseMs, width: 2 } as unknown as Engine
startEngine(engine)
const signal = new AbortController().signal
for (;;) {
  await tickCampaigns(engine, signal)
  await new Promise((resolve) => setTimeout(resolve, 500))
}
