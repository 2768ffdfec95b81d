import type { Event } from '@operon/contracts/contract'
import { accountMail, letter } from '@operon/contracts/crm/events'
import { durableEvents } from '@operon/contracts/registry'
import { now } from '@operon/kit/clock'
import type { Mailer } from '@operon/kit/mail/mailer'
import type { Runtime } from '@operon/kit/service'
import { enqueue } from '@operon/kit/tx'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { sendAccountMail, sendLetter } from './send.ts'

/** One email an event that says so, whatever comes twice. */
export function accountMailConsumers(rt: Runtime<CrmDb, Config>, mailer: Mailer) {
  for (const event of durableEvents()) {
    if (event.email) mailOn(rt, event, event.email)
    if (event.letter) letterOn(rt, event, event.letter)
  }
  rt.job(accountMail, sendAccountMail(rt, mailer))
  rt.job(letter, sendLetter(rt, mailer))
}

function letterOn(rt: Runtime<CrmDb, Config>, event: Event, words: NonNullable<Event['letter']>) {
  rt.on(event, `letter-${afterDot(event.name)}`, async (trx, { payload }) => {
    const written = words(payload, rt.kit.PRODUCT_NAME)
    if (written) await enqueue(trx, letter, written, { userId: written.person })
  })
}

function mailOn(rt: Runtime<CrmDb, Config>, event: Event, words: NonNullable<Event['email']>) {
  rt.on(event, handlerOf(event), async (trx, { user_id, payload }) => {
    const written = words(payload, rt.kit.PRODUCT_NAME)
    if (!written) return
    const { until, ...email } = written
    const isLate = until !== undefined && Date.parse(until) < now()
    if (user_id && !isLate) await enqueue(trx, accountMail, { user_id, ...email }, { userId: user_id })
  })
}

/** `mail-payment-failed`. A broker knows the consumer by this name; one has an older name, under another it would be told everything again. */
const handlerOf = ({ name }: Event) => (name === 'billing.usage_threshold' ? 'mail-usage' : `mail-${afterDot(name)}`)
const afterDot = (name: string) => name.slice(name.indexOf('.') + 1).replaceAll('_', '-')
