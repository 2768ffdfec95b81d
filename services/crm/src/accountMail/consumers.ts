import { paymentFailed, trialEnding, usageThreshold } from '@operon/contracts/billing/events'
import type { Envelope, Event, Payload } from '@operon/contracts/contract'
import { accountMail } from '@operon/contracts/crm/events'
import { now } from '@operon/kit/clock'
import type { Mailer } from '@operon/kit/mail/mailer'
import type { Runtime } from '@operon/kit/service'
import { enqueue } from '@operon/kit/tx'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { sendAccountMail } from './send.ts'
import { paymentFailedMail, trialEndingMail, usageMail } from './words.ts'

export function accountMailConsumers(rt: Runtime<CrmDb, Config>, mailer: Mailer) {
  const product = rt.kit.PRODUCT_NAME
  /** One mail an event, whatever comes twice. */
  function mailOn<E extends Event>(
    event: E,
    handler: string,
    words: (payload: Payload<E>, product: string) => Omit<Payload<typeof accountMail>, 'user_id'>,
    isLate: (payload: Payload<E>) => boolean = () => false,
  ) {
    rt.on(event, handler, async (trx, { user_id, payload }: Envelope<Payload<E>>) => {
      if (user_id && !isLate(payload)) await enqueue(trx, accountMail, { user_id, ...words(payload, product) }, { userId: user_id })
    })
  }
  mailOn(trialEnding, 'mail-trial-ending', trialEndingMail, ({ trial_end }) => Date.parse(trial_end) < now())
  mailOn(paymentFailed, 'mail-payment-failed', paymentFailedMail)
  mailOn(usageThreshold, 'mail-usage', usageMail)
  rt.job(accountMail, sendAccountMail(rt, mailer))
}
