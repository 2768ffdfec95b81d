import type * as contract from '@operon/contracts/billing/api'
import type { Output } from '@operon/contracts/contract'
import { DomainError } from '@operon/kit/errors'
import { accountOf } from '../accounts.ts'
import type { BillingCtx, Db, Deps } from '../deps.ts'
import { readSetting, writeSetting } from '../settings.ts'
import { askAgain, isOutage } from '../stripe-errors.ts'

export async function customerPortal(deps: Deps, ctx: BillingCtx): Promise<Output<typeof contract.customerPortal>> {
  if (ctx.actor.kind !== 'user') throw new DomainError('login_to_manage_subscription')
  const { stripe_customer_id: customer } = await accountOf(ctx)
  if (!customer) throw new DomainError('portal_no_customer')
  try {
    return { url: await deps.provider.createPortal(customer, `${deps.publicUrl}/pricing`, await portalConfiguration(deps, ctx.db)) }
  } catch (error) {
    ctx.log.warn({ err: error }, 'no portal session could be created')
    throw new DomainError('portal_failed', { cause: error, ...(isOutage(error) && askAgain) })
  }
}

/** The sandbox's portal offers what ours should by itself; Stripe's is told once. The name tells which configuration it is. */
async function portalConfiguration({ provider, publicUrl }: Deps, db: Db): Promise<string | undefined> {
  if (provider.mode === 'sandbox') return undefined
  const key = `portal-without-switch:${provider.mode}`
  const known = await readSetting<string>(db, key)
  return known ?? writeSetting(db, key, await provider.createPortalConfiguration(publicUrl))
}
