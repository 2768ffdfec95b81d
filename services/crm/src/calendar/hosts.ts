import type { Envelope, Payload } from '@operon/contracts/contract'
import { type userCreated, userUpdated } from '@operon/contracts/identity/events'
import { claimSlug, profileChanged } from '@operon/contracts/marketplace/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import type { Transaction } from 'kysely'
import type { CrmDb } from '../schema.ts'

type Trx = Transaction<CrmDb & KitDb>

/** The address of the person's booking pages. Marketplace gives it, once for all that a person shows; it is asked the first time alone. */
export async function slugOf(ctx: Ctx<CrmDb>, ask: Runtime['ask']): Promise<string> {
  const { id: user_id } = signedIn(ctx)
  const known = await ctx.db.selectFrom('hosts').select('slug').where('user_id', '=', user_id).executeTakeFirst()
  if (known?.slug) return known.slug
  const { slug, name } = await ask(claimSlug, {}, { actor: ctx.actor })
  await ctx.db
    .insertInto('hosts')
    .values({ user_id, slug, name })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ slug }).where('hosts.slug', 'is', null))
    .execute()
  return slug
}

/** Only of people who have booking pages; the newest version stays. */
export function hostConsumers(rt: Runtime<CrmDb>) {
  rt.on(profileChanged, 'host-address', async (trx: Trx, { user_id, payload }: Envelope<Payload<typeof profileChanged>>) => {
    const { slug, version } = payload
    await trx
      .updateTable('hosts')
      .set({ slug, slug_version: version })
      .where('user_id', '=', user_id!)
      .where('slug_version', '<', version)
      .execute()
  })
  rt.on(userUpdated, 'host-name', async (trx: Trx, { user_id, payload }: Envelope<Payload<typeof userCreated>>) => {
    const { name, version } = payload
    if (!name) return
    await trx
      .updateTable('hosts')
      .set({ name, name_version: version })
      .where('user_id', '=', user_id!)
      .where('name_version', '<', version)
      .execute()
  })
}
