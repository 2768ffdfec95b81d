import * as audience from '@operon/contracts/crm/email/audience'
import * as campaigns from '@operon/contracts/crm/email/campaigns'
import { checkEmail as checkEmailContract } from '@operon/contracts/crm/email/checks'
import { campaignTick, optInMail, settleEmails } from '@operon/contracts/crm/email/events'
import * as report from '@operon/contracts/crm/email/report'
import * as segments from '@operon/contracts/crm/email/segments'
import * as sendersContract from '@operon/contracts/crm/email/senders'
import * as sending from '@operon/contracts/crm/email/sending'
import * as single from '@operon/contracts/crm/email/single'
import * as templates from '@operon/contracts/crm/email/templates'
import * as topics from '@operon/contracts/crm/email/topics'
import { crmUsageRecorded } from '@operon/contracts/usage'
import { facesPeople } from '@operon/kit/config'
import { createGuardedFetch } from '@operon/kit/fetch'
import { serve } from '@operon/kit/http'
import type { Mailer } from '@operon/kit/mail/mailer'
import type { Runtime } from '@operon/kit/service'
import { settleAbandoned } from '@operon/kit/settle'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import {
  createCampaign,
  deleteCampaign,
  duplicateCampaign,
  findCampaigns,
  followUpCampaign,
  getCampaign,
  updateCampaign,
} from './campaigns.ts'
import { checkEmail } from './checks.ts'
import { addSuppression, askOptIn, listSuppressions, removeSuppression } from './consents.ts'
import { checkSender, type Dns, systemDns } from './dns.ts'
import { startEngine } from './engine.ts'
import { campaignPaces } from './pace.ts'
import { mailPages } from './pages.ts'
import { previewCampaign, sendTestCampaign } from './preview.ts'
import { campaignReport, listRecipients } from './report.ts'
import { deleteSegment, listSegments, previewSegment, saveSegment } from './segments.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign, scheduleCampaign, sendCampaign } from './send.ts'
import { deleteSender, emailStatus, type Senders, saveSender } from './senders.ts'
import { sequenceRoutes } from './sequences/routes.ts'
import { previewEmail, sendEmail, sendOptInMail } from './single.ts'
import { deleteEmailTemplate, listEmailTemplates, saveEmailTemplate, showEmailTemplate } from './templates.ts'
import { tickCampaigns } from './tick.ts'
import { deleteEmailTopic, listEmailTopics, saveEmailTopic } from './topics.ts'
import { mailTracking } from './tracking.ts'
import { openCarriers } from './transports.ts'
import { forgetHints, mailWebhooks } from './webhooks.ts'

export function emailRoutes(rt: Runtime<CrmDb, Config>, mailer: Mailer, { dns = systemDns() }: { dns?: Dns } = {}) {
  const { app } = rt
  const carriers = openCarriers(rt)
  const senders: Senders = { rt, carriers }
  const leaseMs = rt.config.CAMPAIGN_LEASE_SECONDS * 1000
  const paces = campaignPaces(rt.config)
  const engine = { rt: rt as never, carriers, paces, leaseMs, width: rt.config.CAMPAIGN_WORKERS }
  let running: ReturnType<typeof startEngine> | undefined
  rt.onStart(() => {
    running = startEngine(engine)
  })
  rt.onStop(async () => {
    await running?.stop()
    carriers.close()
  })
  rt.job(campaignTick, (ctx) => tickCampaigns(engine, ctx.signal), { everyMs: 10_000 })
  rt.job(
    settleEmails,
    async () => {
      await settleAbandoned(rt.db as never, crmUsageRecorded, { unit: 'emails' })
      await forgetHints(rt.db)
    },
    { cron: '41 * * * *' },
  )
  rt.job(optInMail, sendOptInMail(rt, mailer))
  sequenceRoutes(rt, senders)
  mailPages(rt)
  mailTracking(rt)
  mailWebhooks(rt)

  serve(app, campaigns.createCampaign, createCampaign)
  serve(app, campaigns.updateCampaign, updateCampaign)
  serve(app, campaigns.getCampaign, getCampaign)
  serve(app, campaigns.findCampaigns, findCampaigns)
  serve(app, campaigns.duplicateCampaign, duplicateCampaign)
  serve(app, campaigns.followUpCampaign, followUpCampaign)
  serve(app, campaigns.deleteCampaign, deleteCampaign)
  serve(app, sending.previewCampaign, (ctx, input) => previewCampaign(ctx, input, senders))
  serve(app, sending.sendTestCampaign, (ctx, input) => sendTestCampaign(ctx, input, senders, rt))
  serve(app, sending.sendCampaign, (ctx, input) => sendCampaign(ctx, input, senders).finally(() => running?.nudge()))
  serve(app, sending.scheduleCampaign, (ctx, input) => scheduleCampaign(ctx, input, senders))
  serve(app, sending.pauseCampaign, pauseCampaign)
  serve(app, sending.resumeCampaign, (ctx, input) => resumeCampaign(ctx, input, senders).finally(() => running?.nudge()))
  serve(app, sending.cancelCampaign, cancelCampaign)
  serve(app, report.campaignReport, campaignReport)
  serve(app, report.listRecipients, listRecipients)
  serve(app, segments.previewSegment, previewSegment)
  serve(app, segments.listSegments, listSegments)
  serve(app, segments.saveSegment, saveSegment)
  serve(app, segments.deleteSegment, deleteSegment)
  // Strangers share hosts: one that fails for one account must stay open for the others.
  const looks = { cache: rt.cache, fetch: createGuardedFetch({ loopback: !facesPeople(rt.kit), breaks: false }) }
  serve(app, checkEmailContract, (ctx, input) => checkEmail(ctx, input, looks))
  serve(app, templates.listEmailTemplates, listEmailTemplates)
  serve(app, templates.showEmailTemplate, showEmailTemplate)
  serve(app, templates.saveEmailTemplate, saveEmailTemplate)
  serve(app, templates.deleteEmailTemplate, deleteEmailTemplate)
  serve(app, topics.listEmailTopics, listEmailTopics)
  serve(app, topics.saveEmailTopic, saveEmailTopic)
  serve(app, topics.deleteEmailTopic, deleteEmailTopic)
  serve(app, sendersContract.emailStatus, (ctx) => emailStatus(ctx, senders))
  serve(app, sendersContract.saveSender, (ctx, input) => saveSender(ctx, input, senders))
  serve(app, sendersContract.deleteSender, deleteSender)
  serve(app, sendersContract.checkSender, (ctx, input) => checkSender(ctx, input, senders, dns))
  serve(app, single.previewEmail, (ctx, input) => previewEmail(ctx, input, senders))
  serve(app, single.sendEmail, (ctx, input) => sendEmail(ctx, input, senders, paces))
  serve(app, audience.listSuppressions, listSuppressions)
  serve(app, audience.addSuppression, addSuppression)
  serve(app, audience.removeSuppression, removeSuppression)
  serve(app, audience.askOptIn, (ctx, input) => askOptIn(ctx, input, rt))
}
