import { newsletterMail, newsletterSweep } from '@operon/contracts/crm/events'
import type { Mailer } from '@operon/kit/mail/mailer'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { sendNewsletterMail } from './mail.ts'
import { forgetUnconfirmed } from './newsletter.ts'

export function newsletterJobs(rt: Runtime<CrmDb, Config>, mailer: Mailer) {
  rt.job(newsletterMail, sendNewsletterMail(rt, mailer))
  rt.job(newsletterSweep, (ctx) => forgetUnconfirmed(ctx), { cron: '17 3 * * *' })
}
