// One process of several that send campaigns, for tests that kill it.
import { ProviderWatch } from '@operon/kit/providers'
import { openTestProcess } from '@operon/kit/testing/process'
import type { CrmDb } from '../schema.ts'
import { type Engine, startEngine } from './engine.ts'
import { tickCampaigns } from './tick.ts'
import { openCarriers } from './transports.ts'

export type WorkerSettings = { databaseUrl: string; dataDir: string; smtp: string; pages: string; leaseMs: number }

const settings = JSON.parse(process.argv[2]!) as WorkerSettings
const { smtp, pages, leaseMs } = settings
const { db, kit, metrics, vault, log } = await openTestProcess<CrmDb>(settings)
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
