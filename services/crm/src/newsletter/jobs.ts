import { newsletterMail, newsletterSweep } from '@operon/contracts/crm/events'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { sendNewsletterMail } from './mail.ts'
import { forgetUnconfirmed } from './newsletter.ts'

export function newsletterJobs(rt: Runtime<CrmDb, Config>) {
  rt.job(newsletterMail, sendNewsletterMail(rt))
  rt.job(newsletterSweep, (ctx) => forgetUnconfirmed(ctx), { cron: '17 3 * * *' })
}
