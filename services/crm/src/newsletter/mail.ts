import type { Payload } from '@operon/contracts/contract'
import type { newsletterMail } from '@operon/contracts/crm/events'
import type { Ctx } from '@operon/kit/context'
import type { JobRun } from '@operon/kit/jobs/jobs'
import type { Mailer } from '@operon/kit/mail/mailer'
import { strangersPaces, waitForTurn } from '@operon/kit/mail/turns'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { confirmLetter, welcomeLetter } from './letters.ts'
import { tokenFor } from './tokens.ts'

type Rt = Runtime<CrmDb, Config>

/** Sends one mail of the list, if it is still wanted. */
export const sendNewsletterMail =
  (rt: Rt, mailer: Mailer) =>
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
    await waitForTurn(ctx.db, id, strangersPaces(rt.config, subscriber.email))
    const { PRODUCT_NAME: product, PUBLIC_URL: home } = rt.kit
    const stop = `${home}/functions/v1/newsletter-unsubscribe?token=${tokenFor(rt.vault, 'unsubscribe', subscriber_id)}`
    const go = `${home}/functions/v1/newsletter-confirm?token=${tokenFor(rt.vault, 'confirm', id)}`
    const letter = template === 'confirm' ? confirmLetter({ product, go, stop }) : welcomeLetter({ product, home, stop })
    await mailer.send({ id, to: subscriber.email, letter, sender: 'news' })
  }
