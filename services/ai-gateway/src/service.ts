import { forgetHistory, spendKeyRequest, stopAnswer, sweep } from '@operon/contracts/ai-gateway/events'
import { demoCreated } from '@operon/contracts/identity/events'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { aiUsageRecorded } from '@operon/contracts/usage'
import { signedIn } from '@operon/kit/context'
import { erasesPeople } from '@operon/kit/erasure'
import { createGuardedFetch, type GuardedFetch } from '@operon/kit/fetch'
import type { ProviderName } from '@operon/kit/providers'
import { Reserver } from '@operon/kit/reserver'
import { daysAgo, forgetByPlan, type History } from '@operon/kit/retention'
import type { Runtime, ServiceDefinition } from '@operon/kit/service'
import { settleAbandoned } from '@operon/kit/settle'
import { metersTopUps } from '@operon/kit/top-ups'
import { closeDead, dropOld } from './approvals/approvals.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { closeAbandoned } from './chat/conversations.ts'
import { chatRoutes } from './chat/routes.ts'
import { laneId } from './compare/compare.ts'
import { compareRoutes } from './compare/routes.ts'
import { Running } from './completions/running.ts'
import { Config } from './config.ts'
import { seedDemo } from './demo/seed.ts'
import { createPrices } from './domains/prices.ts'
import { erasure } from './erasure.ts'
import { spendKey } from './keys/limit.ts'
import { handsOverKeys } from './keys/older.ts'
import { mcpRoutes } from './mcp/routes.ts'
import { memoryRoutes } from './memory/routes.ts'
import * as init from './migrations/0001_init.ts'
import * as conversationMarks from './migrations/0002_conversation_marks.ts'
import * as begunActions from './migrations/0003_begun_actions.ts'
import * as versions from './migrations/0004_versions.ts'
import * as keysMove from './migrations/0005_keys_move.ts'
import * as approvalRows from './migrations/0006_approvals.ts'
import * as evidence from './migrations/0007_evidence.ts'
import * as titlesOfAccount from './migrations/0008_titles_of_account.ts'
import * as rowsOfAPerson from './migrations/0009_rows_of_a_person.ts'
import * as actionsBecomeApprovals from './migrations/0010_actions_become_approvals.ts'
import * as memories from './migrations/0011_memories.ts'
import * as runningSums from './migrations/0016_running_sums.ts'
import * as runningSumsDone from './migrations/0017_running_sums_done.ts'
import * as wishes from './migrations/0018_wishes.ts'
import { openaiRoutes } from './openai/routes.ts'
import { toolRoutes } from './routes.ts'
import type { AiDb } from './schema.ts'
import { Providers, sandboxedProviders } from './upstream/providers.ts'
import { costsIn } from './usage/costs.ts'
import { Settler } from './usage/settler.ts'
import { writingRoutes } from './writing/routes.ts'

const watchedFetch =
  ({ providers }: Pick<Runtime, 'providers'>, name: ProviderName, fetch: GuardedFetch): GuardedFetch =>
  (url, options) =>
    providers.call(name, () => fetch(url, options))

/** Messages go with their conversation; what the answers came to stays in the sums of their days. */
const histories: (History & { piece?: number })[] = [
  // Each takes its messages along.
  { table: 'ai_conversations', column: 'updated_at', ago: daysAgo, piece: 50 },
  { table: 'ai_comparisons', column: 'created_at', ago: daysAgo },
  { table: 'ai_usage', column: 'created_at', ago: daysAgo },
]

export const aiGatewayService: ServiceDefinition<AiDb, Config> = {
  name: 'ai-gateway',
  config: Config,
  migrations: {
    '0001_init': init,
    '0002_conversation_marks': conversationMarks,
    '0003_begun_actions': begunActions,
    '0004_versions': versions,
    '0005_keys_move': keysMove,
    '0006_approvals': approvalRows,
    '0007_evidence': evidence,
    '0008_titles_of_account': titlesOfAccount,
    '0009_rows_of_a_person': rowsOfAPerson,
    '0010_actions_become_approvals': actionsBecomeApprovals,
    '0011_memories': memories,
    '0016_running_sums': runningSums,
    '0017_running_sums_done': runningSumsDone,
    '0018_wishes': wishes,
  },
  sandboxed: (config) => [...sandboxedProviders(config), ...(config.DOMAIN_REGISTRIES === 'live' ? [] : ['rdap' as const])],
  async setup(rt) {
    const sandbox = async (provider: 'openai' | 'rdap') => (await rt.ask(sandboxAddress, { provider })).url
    const providers = new Providers(rt.config, () => sandbox('openai'), rt.providers)
    metersTopUps(rt, 'ai-gateway')
    const reserver = new Reserver(rt.db, 'prompts', 'ai-gateway')
    const settler = new Settler(rt.db, reserver.budgets, rt.log, costsIn(rt.metrics))
    const deps = {
      db: rt.db,
      reserver,
      providers,
      settler,
      config: rt.config,
      log: rt.log,
      watch: rt.providers,
      running: new Running(),
    }
    const registries = rt.config.DOMAIN_REGISTRIES === 'live' ? null : () => sandbox('rdap')
    openaiRoutes(rt.app, deps)
    rt.answer(spendKeyRequest, async (ctx, { calls }) => {
      await spendKey(ctx, signedIn(ctx), calls)
      return { spent: true as const }
    })
    const approvals = approvalRoutes(rt)
    const tooled = { ...deps, approvals }
    chatRoutes(rt, tooled)
    compareRoutes(rt, deps)
    handsOverKeys(rt)
    memoryRoutes(rt.app)
    writingRoutes(rt.app, deps)
    mcpRoutes(rt, approvals)
    const guarded = createGuardedFetch({ trusted: registries })
    const prices = createPrices(watchedFetch(rt, 'registrar', guarded), registries, rt.config, rt.log)
    toolRoutes(rt.app, tooled, {
      fetch: watchedFetch(rt, 'rdap', guarded),
      prices,
      affiliate: rt.config.DOMAIN_AFFILIATE_LINKS,
      sandbox: registries,
    })

    rt.onBroadcast(stopAnswer, ({ user_id, id, lane }) => {
      const lanes = lane === null ? [id] : lane >= 0 ? [laneId(id, lane)] : [0, 1, 2, 3, 4, 5].map((each) => laneId(id, each))
      for (const each of lanes) deps.running.stop(user_id, each)
    })
    rt.on(demoCreated, 'seed-demo', seedDemo)
    erasesPeople(rt, erasure)
    rt.job(
      sweep,
      async (ctx) => {
        await settleAbandoned(rt.db as never, aiUsageRecorded, { budgets: reserver.budgets })
        await closeAbandoned(ctx, rt.config.AI_ANSWER_MS + 60_000)
        await closeDead(ctx)
        await dropOld(ctx)
      },
      { everyMs: 60_000 },
    )
    rt.job(
      forgetHistory,
      async ({ db, signal }) => {
        for (const { piece, ...history } of histories) await forgetByPlan(db, history, { signal, ...(piece && { piece }) })
      },
      { cron: '23 3 * * *' },
    )
    rt.onStop(() => providers.close())
    rt.onStop(() => settler.flush())
  },
}
