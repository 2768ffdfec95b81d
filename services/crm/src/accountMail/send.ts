import type { Payload } from '@operon/contracts/contract'
import type { accountMail } from '@operon/contracts/crm/events'
import type { Ctx } from '@operon/kit/context'
import type { JobRun } from '@operon/kit/jobs/jobs'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import { letter } from '../mail/letter.ts'
import { openTransport } from '../mail/smtp.ts'
import type { CrmDb } from '../schema.ts'

/** Sends one mail about an account to the address that it has now. Its Message-ID is the job's, so a retry is seen as the same mail. */
export const sendAccountMail =
  (rt: Runtime<CrmDb, Config>) =>
  async (ctx: Ctx<CrmDb>, { id, payload }: JobRun<Payload<typeof accountMail>>): Promise<void> => {
    const { user_id, label, path, ...words } = payload
    const erased = await ctx.db.selectFrom('erased_people').select('user_id').where('user_id', '=', user_id).executeTakeFirst()
    if (erased) return
    const person = await ctx.db.selectFrom('people').select('email').where('user_id', '=', user_id).executeTakeFirst()
    // Events come in any order; the job is tried again until the account is known.
    if (!person) throw new Error(`the account ${user_id} is not known here yet`)
    if (!person.email) return
    const { PRODUCT_NAME: product, PUBLIC_URL: home } = rt.kit
    const { hostname } = new URL(home)
    const transport = await openTransport(rt)
    try {
      await transport.sendMail({
        from: rt.config.MAIL_FROM ?? `${product} <no-reply@${hostname.includes('.') ? hostname : 'operon.example'}>`,
        to: person.email,
        messageId: `<${id}@${hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...letter({ product, home, ...words, action: { label, url: `${home}${path}` } }),
      })
    } finally {
      transport.close()
    }
  }
