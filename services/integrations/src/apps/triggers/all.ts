import type { AppId } from '@operon/contracts/integrations/apps'
import { appTriggers } from '@operon/contracts/integrations/triggers'
import type { AppTrigger } from '../app.ts'
import * as business from './business.ts'
import * as messages from './messages.ts'
import * as work from './work.ts'

const triggers: Record<AppId, Record<string, AppTrigger>> = {
  gmail: messages.gmail,
  outlook: messages.outlook,
  slack: messages.slack,
  teams: messages.teams,
  mailersend: messages.mailersend,
  voice: messages.voice,
  'google-calendar': messages.googleCalendar,
  'outlook-calendar': messages.outlookCalendar,
  calendly: messages.calendly,
  hubspot: business.hubspot,
  'zoho-crm': business.zohoCrm,
  salesforce: business.salesforce,
  instagram: business.instagram,
  facebook: business.facebook,
  linkedin: business.linkedin,
  twitter: business.twitter,
  'google-analytics': business.googleAnalytics,
  'google-ads': business.googleAds,
  'meta-ads': business.metaAds,
  stripe: work.stripe,
  paypal: work.paypal,
  quickbooks: work.quickbooks,
  notion: work.notion,
  trello: work.trello,
  asana: work.asana,
  'google-drive': work.googleDrive,
}
/** Each trigger of the catalogue can be watched, or the service does not start. */
for (const { app, name } of appTriggers) if (!triggers[app][name]) throw new Error(`the trigger ${name} of ${app} has no definition`)

export const triggerDefinition = (app: string, name: string): AppTrigger | undefined =>
  Object.hasOwn(triggers, app) && Object.hasOwn(triggers[app as AppId], name) ? triggers[app as AppId][name] : undefined
