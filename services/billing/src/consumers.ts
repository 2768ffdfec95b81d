import * as billing from '@operon/contracts/billing/events'
import type { Payload } from '@operon/contracts/contract'
import { demoCreated, userCreated, userUpdated } from '@operon/contracts/identity/events'
import { listingModerated } from '@operon/contracts/marketplace/trust'
import { drawnBy } from '@operon/contracts/top-ups'
import { aiUsageRecorded, crmUsageRecorded, mediaUsageRecorded } from '@operon/contracts/usage'
import { erasesPeople } from '@operon/kit/erasure'
import type { Runtime } from '@operon/kit/service'
import { ensureAccount, type Person } from './accounts.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { erasure } from './erasure.ts'
import { compareBooks } from './ledger/compare.ts'
import { sumLedger } from './ledger/sums.ts'
import { closeMonths } from './months/close.ts'
import { creditReferrals, recordReferral } from './referrals/referrals.ts'
import type { BillingDb } from './schema.ts'
import { keepModerated } from './sellers/moderated.ts'
import { sumFigures } from './staff/figures.ts'
import { tellOfMatter } from './staff/matters.ts'
import { seedDemo } from './subscriptions/demo.ts'
import { follow } from './subscriptions/project.ts'
import { keepDrawn } from './top-ups/drawn.ts'
import { projectUsage, type TellUsage } from './usage/usage.ts'
import { reconcile } from './webhooks/reconcile.ts'
import type { Hearing } from './webhooks/routes.ts'

export function billingConsumers(rt: Runtime<BillingDb, Config>, deps: Deps, hearing: Hearing) {
  rt.on(userCreated, 'open-account', async (trx, { user_id: userId, payload }) => {
    if (!userId) return
    await ensureAccount(trx, personOf(userId, payload))
    if (payload.referral_code) await recordReferral(trx, userId, payload.referral_code)
  })
  rt.on(userUpdated, 'update-account', async (trx, { user_id: userId, payload }) => {
    if (userId) await ensureAccount(trx, personOf(userId, payload))
  })
  rt.on(demoCreated, 'seed-demo', seedDemo)
  erasesPeople(rt, erasure(deps))
  const tell: TellUsage = (live) => rt.broadcast(billing.usageLive, live).catch((err) => rt.log.debug({ err }, 'no page could be told'))
  for (const usage of [aiUsageRecorded, mediaUsageRecorded, crmUsageRecorded]) {
    rt.on(usage, `project-${usage.name.split('.')[0]}-usage`, (trx, event) => projectUsage(trx, event, tell))
  }
  for (const drawn of Object.values(drawnBy)) rt.on(drawn, `keep-${drawn.name.split('.')[0]}-drawn`, keepDrawn)

  rt.on(listingModerated, 'hold-suspended', keepModerated)

  const isSandbox = deps.provider.mode === 'sandbox'
  rt.job(billing.reconcile, (ctx) => sumLedger(ctx.db).then(() => reconcile(deps, ctx, hearing)), {
    concurrency: 1,
    everyMs: isSandbox ? 30_000 : 600_000,
  })
  rt.job(billing.compareBooks, (ctx) => compareBooks(deps, ctx), { concurrency: 1, cron: '40 3 * * *' })
  rt.job(billing.closeMonths, (ctx) => closeMonths(ctx.db).then(() => {}), { concurrency: 1, cron: '10 4 * * *' })
  rt.job(billing.countFigures, (ctx) => sumFigures(ctx.db), { concurrency: 1, everyMs: 60_000 })
  rt.job(billing.tellStaff, (ctx, { payload }) => tellOfMatter(deps, ctx, payload))
  rt.job(billing.followAccount, (ctx, { payload }) => follow(deps, ctx, payload.user_id))
  rt.job(billing.creditReferrals, (ctx) => creditReferrals(deps, ctx), { concurrency: 1, everyMs: isSandbox ? 60_000 : 3_600_000 })
}

const personOf = (userId: string, { email, name, version, banned_until: until }: Payload<typeof userUpdated>): Person => ({
  ...{ userId, email, name, version },
  bannedUntil: typeof until === 'string' ? new Date(until) : until,
})
