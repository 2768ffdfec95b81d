import type { Payload } from '@operon/contracts/contract'
import type { newsletterMail } from '@operon/contracts/crm/events'
import type { Ctx } from '@operon/kit/context'
import type { JobRun } from '@operon/kit/jobs/jobs'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import { openTransport } from '../mail/smtp.ts'
import type { CrmDb } from '../schema.ts'
import { confirmLetter, welcomeLetter } from './letters.ts'
import { tokenFor } from './tokens.ts'

type Rt = Runtime<CrmDb, Config>

/** Sends one mail of the list, if it is still wanted. Its Message-ID is the job's, so a retry is seen as the same mail. */
export const sendNewsletterMail =
  (rt: Rt) =>
  async (ctx: Ctx<CrmDb>, { id, payload }: JobRun<Payload<typeof newsletterMail>>): Promise<void> => {
    const { subscriber_id, template } = payload
    const wanted = template === 'confirm' ? 'pending' : 'confirmed'
    const subscriber = await ctx.db
      .selectFrom('newsletter_subscribers')
      .select('email')
      .where('id', '=', subscriber_id)
      .where('status', '=', wanted)
      .executeTakeFirst()
    if (!subscriber) return
    const { PRODUCT_NAME: product, PUBLIC_URL: home } = rt.kit
    const stop = `${home}/functions/v1/newsletter-unsubscribe?token=${tokenFor(rt.vault, 'unsubscribe', subscriber_id)}`
    const go = `${home}/functions/v1/newsletter-confirm?token=${tokenFor(rt.vault, 'confirm', id)}`
    const letter = template === 'confirm' ? confirmLetter({ product, home, go, stop }) : welcomeLetter({ product, home, stop })
    const { hostname } = new URL(home)
    const transport = await openTransport(rt)
    try {
      await transport.sendMail({
        from: rt.config.MAIL_FROM ?? `${product} <news@${hostname.includes('.') ? hostname : 'operon.example'}>`,
        to: subscriber.email,
        messageId: `<${id}@${hostname}>`,
        headers: {
          'List-Unsubscribe': `<${stop}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          'Auto-Submitted': 'auto-generated',
        },
        ...letter,
      })
    } finally {
      transport.close()
    }
  }
