import { type AppId, appIds } from '@operon/contracts/integrations/apps'
import type { AppAction, AppDefinition } from './app.ts'
import { calendly, hubspot, linkedin, salesforce, twitter, zohoCrm } from './business.ts'
import { caldav } from './caldav.ts'
import { custom } from './custom.ts'
import { gmail, googleAds, googleAnalytics, googleCalendar, googleDrive } from './google.ts'
import { facebook, instagram, metaAds } from './meta.ts'
import { outlook, outlookCalendar, teams } from './microsoft.ts'
import { mailersend, paypal, quickbooks, stripe, voice } from './money.ts'
import { asana, notion, slack, trello } from './work.ts'

const definitions = [
  gmail,
  outlook,
  slack,
  teams,
  mailersend,
  voice,
  googleCalendar,
  outlookCalendar,
  calendly,
  hubspot,
  zohoCrm,
  salesforce,
  instagram,
  facebook,
  linkedin,
  twitter,
  googleAnalytics,
  googleAds,
  metaAds,
  stripe,
  paypal,
  quickbooks,
  notion,
  trello,
  asana,
  googleDrive,
]
const byId = new Map<string, AppDefinition>(definitions.map((app) => [app.id, app]))
/** Every app of the catalogue has its definition, or the service does not start. */
byId.set(custom.id, custom)
byId.set(caldav.id, caldav)
for (const id of appIds) if (!byId.has(id)) throw new Error(`the app ${id} has no definition`)

export const definitionOf = (id: string): AppDefinition => byId.get(id)!
export const actionOf = (app: AppDefinition, name: string): AppAction | undefined =>
  Object.hasOwn(app.actions, name) ? app.actions[name] : undefined
export const appsOfVendor = (vendor: string): AppId[] => definitions.filter((app) => app.vendor === vendor).map(({ id }) => id)
