import * as audience from '@operon/contracts/crm/email/audience'
import * as campaigns from '@operon/contracts/crm/email/campaigns'
import { campaignTick, optInMail, settleEmails } from '@operon/contracts/crm/email/events'
import * as segments from '@operon/contracts/crm/email/segments'
import * as sendersContract from '@operon/contracts/crm/email/senders'
import { crmUsageRecorded } from '@operon/contracts/usage'
import { serve } from '@operon/kit/http'
import type { Mailer } from '@operon/kit/mail/mailer'
import type { Runtime } from '@operon/kit/service'
import { settleAbandoned } from '@operon/kit/settle'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { createCampaign, deleteCampaign, duplicateCampaign, findCampaigns, getCampaign, updateCampaign } from './campaigns.ts'
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
import { previewEmail, sendEmail, sendOptInMail } from './single.ts'
import { tickCampaigns } from './tick.ts'
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
  mailPages(rt)
  mailTracking(rt)
  mailWebhooks(rt)

  serve(app, campaigns.createCampaign, createCampaign)
  serve(app, campaigns.updateCampaign, updateCampaign)
  serve(app, campaigns.getCampaign, getCampaign)
  serve(app, campaigns.findCampaigns, findCampaigns)
  serve(app, campaigns.duplicateCampaign, duplicateCampaign)
  serve(app, campaigns.deleteCampaign, deleteCampaign)
  serve(app, campaigns.previewCampaign, (ctx, input) => previewCampaign(ctx, input, senders))
  serve(app, campaigns.sendTestCampaign, (ctx, input) => sendTestCampaign(ctx, input, senders, rt))
  serve(app, campaigns.sendCampaign, (ctx, input) => sendCampaign(ctx, input, senders).finally(() => running?.nudge()))
  serve(app, campaigns.scheduleCampaign, (ctx, input) => scheduleCampaign(ctx, input, senders))
  serve(app, campaigns.pauseCampaign, pauseCampaign)
  serve(app, campaigns.resumeCampaign, (ctx, input) => resumeCampaign(ctx, input, senders).finally(() => running?.nudge()))
  serve(app, campaigns.cancelCampaign, cancelCampaign)
  serve(app, campaigns.campaignReport, campaignReport)
  serve(app, campaigns.listRecipients, listRecipients)
  serve(app, segments.previewSegment, previewSegment)
  serve(app, segments.listSegments, listSegments)
  serve(app, segments.saveSegment, saveSegment)
  serve(app, segments.deleteSegment, deleteSegment)
  serve(app, sendersContract.emailStatus, (ctx) => emailStatus(ctx, senders))
  serve(app, sendersContract.saveSender, (ctx, input) => saveSender(ctx, input, senders))
  serve(app, sendersContract.deleteSender, deleteSender)
  serve(app, sendersContract.checkSender, (ctx, input) => checkSender(ctx, input, senders, dns))
  serve(app, campaigns.previewEmail, (ctx, input) => previewEmail(ctx, input, senders))
  serve(app, campaigns.sendEmail, (ctx, input) => sendEmail(ctx, input, senders, paces))
  serve(app, audience.listSuppressions, listSuppressions)
  serve(app, audience.addSuppression, addSuppression)
  serve(app, audience.removeSuppression, removeSuppression)
  serve(app, audience.askOptIn, (ctx, input) => askOptIn(ctx, input, rt))
}
