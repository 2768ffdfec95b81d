import * as billing from '@operon/contracts/billing'
import { userCreated, userDeleted, userUpdated } from '@operon/contracts/identity'
import { aiUsageRecorded, crmUsageRecorded, mediaUsageRecorded } from '@operon/contracts/usage'
import type { Runtime } from '@operon/kit/service'
import { enqueue } from '@operon/kit/tx'
import { closeAccount, ensureAccount } from './accounts.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { creditReferrals, recordReferral } from './referrals/referrals.ts'
import type { BillingDb } from './schema.ts'
import { projectUsage, type TellUsage } from './usage/usage.ts'
import type { Endpoint } from './webhooks/endpoint.ts'
import { reconcile } from './webhooks/reconcile.ts'

export function billingConsumers(rt: Runtime<BillingDb, Config>, deps: Deps, endpoint: Endpoint) {
  rt.on(userCreated, 'open-account', async (trx, { user_id: userId, payload }) => {
    if (!userId) return
    await ensureAccount(trx, { userId, email: payload.email, name: payload.name, version: payload.version })
    if (payload.referral_code) await recordReferral(trx, userId, payload.referral_code)
  })
  rt.on(userUpdated, 'update-account', async (trx, { user_id: userId, payload }) => {
    if (userId) await ensureAccount(trx, { userId, email: payload.email, name: payload.name, version: payload.version })
  })
  rt.on(userDeleted, 'close-account', async (trx, { user_id: userId }) => {
    if (userId) await enqueue(trx, billing.closeAccount, { user_id: userId })
  })
  const tell: TellUsage = (live) => rt.broadcast(billing.usageLive, live).catch((err) => rt.log.debug({ err }, 'no page could be told'))
  for (const usage of [aiUsageRecorded, mediaUsageRecorded, crmUsageRecorded]) {
    rt.on(usage, `project-${usage.name.split('.')[0]}-usage`, (trx, event) => projectUsage(trx, event, tell))
  }

  const isSandbox = deps.provider.mode === 'sandbox'
  rt.job(billing.reconcile, (ctx) => reconcile(deps, ctx, endpoint), { concurrency: 1, everyMs: isSandbox ? 30_000 : 600_000 })
  rt.job(billing.creditReferrals, (ctx) => creditReferrals(deps, ctx), { concurrency: 1, everyMs: isSandbox ? 60_000 : 3_600_000 })
  rt.job(billing.closeAccount, (ctx, { payload }) => closeAccount(deps, ctx, payload.user_id))
}
