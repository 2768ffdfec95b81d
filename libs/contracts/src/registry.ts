import { z } from 'zod'
import * as aiApi from './ai-gateway/api.ts'
import * as aiApprovals from './ai-gateway/approvals.ts'
import * as aiEvents from './ai-gateway/events.ts'
import * as aiMcp from './ai-gateway/mcp.ts'
import * as aiMemory from './ai-gateway/memory.ts'
import * as aiOpenAi from './ai-gateway/openai.ts'
import * as aiTables from './ai-gateway/tables.ts'
import * as aiTools from './ai-gateway/tools.ts'
import * as aiWriting from './ai-gateway/writing.ts'
import * as analyticsApi from './analytics/api.ts'
import * as analyticsEvents from './analytics/events.ts'
import * as analyticsTables from './analytics/tables.ts'
import * as billingApi from './billing/api.ts'
import * as billingDocuments from './billing/documents.ts'
import * as billingEvents from './billing/events.ts'
import * as billingMonths from './billing/months.ts'
import * as billingPaymentEvents from './billing/payment-events.ts'
import * as billingPayoutEvents from './billing/payout-events.ts'
import * as billingPlansStaff from './billing/plans-staff.ts'
import * as billingSales from './billing/sales.ts'
import * as billingSellers from './billing/sellers.ts'
import * as billingSelling from './billing/selling.ts'
import * as billingSellingEvents from './billing/selling-events.ts'
import * as billingSellingStaff from './billing/selling-staff.ts'
import * as billingShapes from './billing/shapes.ts'
import * as billingStaff from './billing/staff.ts'
import * as billingTables from './billing/tables.ts'
import * as billingTopUps from './billing/top-ups.ts'
import type { Action, Effect, Endpoint, Event, Job, Request, Table } from './contract.ts'
import * as crmApi from './crm/api.ts'
import * as crmAppointments from './crm/appointments.ts'
import * as crmBooking from './crm/booking.ts'
import * as crmCalendar from './crm/calendar.ts'
import * as crmCompanies from './crm/companies.ts'
import * as crmContacts from './crm/contacts.ts'
import * as crmDeals from './crm/deals.ts'
import * as crmAudience from './crm/email/audience.ts'
import * as crmCampaigns from './crm/email/campaigns.ts'
import * as crmEmailChecks from './crm/email/checks.ts'
import * as crmEmailEvents from './crm/email/events.ts'
import * as crmCampaignReport from './crm/email/report.ts'
import * as crmSegments from './crm/email/segments.ts'
import * as crmSenders from './crm/email/senders.ts'
import * as crmSending from './crm/email/sending.ts'
import * as crmSequences from './crm/email/sequences.ts'
import * as crmSingleEmails from './crm/email/single.ts'
import * as crmEmailTemplates from './crm/email/templates.ts'
import * as crmEmailTopics from './crm/email/topics.ts'
import * as crmEvents from './crm/events.ts'
import * as crmFields from './crm/fields.ts'
import * as crmFiles from './crm/files.ts'
import * as crmForms from './crm/forms.ts'
import * as crmImports from './crm/imports.ts'
import * as crmMail from './crm/mail.ts'
import * as crmMerges from './crm/merges.ts'
import * as crmNotionSync from './crm/notion-sync.ts'
import * as crmPipelines from './crm/pipelines.ts'
import * as crmSync from './crm/sync.ts'
import * as crmTables from './crm/tables.ts'
import * as crmViews from './crm/views.ts'
import { accountErasures } from './erasure.ts'
import * as gatewayApi from './gateway/api.ts'
import * as identityAdmin from './identity/admin.ts'
import * as identityApi from './identity/api.ts'
import * as identityAuth from './identity/auth.ts'
import * as identityEvents from './identity/events.ts'
import * as identityExports from './identity/exports.ts'
import * as identityKeys from './identity/keys.ts'
import * as identityOAuth from './identity/oauth.ts'
import { notOffered } from './identity/off.ts'
import * as identityPasskeys from './identity/passkeys.ts'
import * as identityShapes from './identity/shapes.ts'
import * as identityTables from './identity/tables.ts'
import * as integrationsAdRules from './integrations/ad-rules.ts'
import * as integrationsAds from './integrations/ads.ts'
import * as integrationsApi from './integrations/api.ts'
import * as integrationsCaldav from './integrations/caldav.ts'
import * as integrationsCalendars from './integrations/calendars.ts'
import * as integrationsConnections from './integrations/connections.ts'
import * as integrationsCustom from './integrations/custom.ts'
import * as integrationsEvents from './integrations/events.ts'
import * as integrationsMail from './integrations/mail.ts'
import * as integrationsNotion from './integrations/notion.ts'
import * as integrationsNotionRows from './integrations/notion-rows.ts'
import * as integrationsTables from './integrations/tables.ts'
import * as integrationsWatches from './integrations/watches.ts'
import * as integrationsWishes from './integrations/wishes.ts'
import * as marketplaceApi from './marketplace/api.ts'
import * as marketplaceBuyers from './marketplace/buyers.ts'
import * as marketplaceCoupons from './marketplace/coupons.ts'
import * as marketplaceEvents from './marketplace/events.ts'
import * as marketplaceEvidence from './marketplace/evidence.ts'
import * as marketplaceFiles from './marketplace/files.ts'
import * as marketplaceLicences from './marketplace/licences.ts'
import * as marketplaceManifest from './marketplace/manifest.ts'
import * as marketplaceOrders from './marketplace/orders.ts'
import * as marketplaceProducts from './marketplace/products.ts'
import * as marketplaceRefunds from './marketplace/refunds.ts'
import * as marketplaceReviews from './marketplace/reviews.ts'
import * as marketplaceSelling from './marketplace/selling.ts'
import * as marketplaceStorefront from './marketplace/storefront.ts'
import * as marketplaceTables from './marketplace/tables.ts'
import * as marketplaceTemplates from './marketplace/templates.ts'
import * as marketplaceThreads from './marketplace/threads.ts'
import * as marketplaceTrust from './marketplace/trust.ts'
import * as mediaApi from './media/api.ts'
import * as mediaBoards from './media/boards.ts'
import * as mediaEvents from './media/events.ts'
import * as mediaFiles from './media/files.ts'
import * as mediaOpenAi from './media/openai.ts'
import * as mediaShapes from './media/shapes.ts'
import * as mediaVoice from './media/voice.ts'
import * as sandboxApi from './sandbox/api.ts'
import * as sandboxEvents from './sandbox/events.ts'
import { type ProcessName, serviceNames } from './services.ts'
import { aiCloseTopUp, aiTopUpDrawn, mediaCloseTopUp, mediaTopUpDrawn } from './top-ups.ts'
import { jobProgress } from './usage.ts'

/** Everything that every service says, by who says it. The gateway, the reference pages and the attack runner read this. */
export const contracts: Record<ProcessName, object> = {
  identity: {
    ...identityApi,
    ...identityAuth,
    ...identityAdmin,
    ...identityEvents,
    ...identityExports,
    ...identityKeys,
    ...identityOAuth,
    ...identityPasskeys,
    ...identityTables,
    ...Object.values(notOffered).flat(),
    ...identityShapes,
    accountErasures,
  },
  billing: {
    ...billingApi,
    ...billingStaff,
    ...billingSellers,
    ...billingSales,
    ...billingSellingStaff,
    ...billingDocuments,
    ...billingMonths,
    ...billingPlansStaff,
    ...billingEvents,
    ...billingPaymentEvents,
    ...billingSellingEvents,
    ...billingPayoutEvents,
    ...billingTables,
    ...billingShapes,
    ...billingSelling,
    ...billingTopUps,
  },
  marketplace: {
    ...marketplaceApi,
    ...marketplaceCoupons,
    ...marketplaceEvidence,
    ...marketplaceEvents,
    ...marketplaceFiles,
    ...marketplaceLicences,
    ...marketplaceManifest,
    ...marketplaceProducts,
    ...marketplaceSelling,
    ...marketplaceStorefront,
    ...marketplaceTables,
    ...marketplaceTemplates,
    ...marketplaceTrust,
    ...marketplaceBuyers,
    ...marketplaceOrders,
    ...marketplaceRefunds,
    ...marketplaceReviews,
    ...marketplaceThreads,
  },
  integrations: {
    ...integrationsAdRules,
    ...integrationsAds,
    ...integrationsApi,
    ...integrationsCaldav,
    ...integrationsCalendars,
    ...integrationsConnections,
    ...integrationsCustom,
    ...integrationsEvents,
    ...integrationsMail,
    ...integrationsNotion,
    ...integrationsNotionRows,
    ...integrationsTables,
    ...integrationsWatches,
    ...integrationsWishes,
  },
  'ai-gateway': {
    ...aiApi,
    ...aiApprovals,
    ...aiMcp,
    ...aiMemory,
    ...aiOpenAi,
    ...aiTables,
    ...aiTools,
    ...aiWriting,
    ...aiEvents,
    aiTopUpDrawn,
    aiCloseTopUp,
  },
  media: {
    ...mediaApi,
    ...mediaEvents,
    ...mediaFiles,
    ...mediaOpenAi,
    ...mediaShapes,
    ...mediaBoards,
    ...mediaVoice,
    mediaTopUpDrawn,
    mediaCloseTopUp,
  },
  analytics: { ...analyticsApi, ...analyticsEvents, ...analyticsTables },
  crm: {
    ...crmApi,
    ...crmAppointments,
    ...crmBooking,
    ...crmCalendar,
    ...crmContacts,
    ...crmAudience,
    ...crmCampaigns,
    ...crmEmailEvents,
    ...crmSegments,
    ...crmSenders,
    ...crmSending,
    ...crmSequences,
    ...crmCampaignReport,
    ...crmEmailChecks,
    ...crmEmailTemplates,
    ...crmEmailTopics,
    ...crmSingleEmails,
    ...crmDeals,
    ...crmFields,
    ...crmFiles,
    ...crmForms,
    ...crmMail,
    ...crmMerges,
    ...crmNotionSync,
    ...crmSync,
    ...crmViews,
    ...crmCompanies,
    ...crmImports,
    ...crmPipelines,
    ...crmEvents,
    ...crmTables,
  },
  sandbox: { ...sandboxApi, ...sandboxEvents },
  gateway: gatewayApi,
}
type Contract = Endpoint | Table | Event | Request | Job
const all = (service: ProcessName): Contract[] =>
  Object.values(contracts[service]).filter((value): value is Contract => typeof value === 'object' && value !== null && 'kind' in value)

export const endpointsOf = (service: ProcessName) => all(service).filter((contract) => contract.kind === 'endpoint') as Endpoint[]
export const tablesOf = (service: ProcessName) => all(service).filter((contract) => contract.kind === 'table') as Table[]
export const eventsOf = (service: ProcessName) => all(service).filter((contract) => contract.kind === 'event') as Event[]
/** Every durable event, once. */
export const durableEvents = (): Event[] => [
  ...new Map(
    serviceNames
      .flatMap((service) => eventsOf(service))
      .filter(({ delivery }) => delivery === 'durable')
      .map((event) => [event.name, event]),
  ).values(),
]
/** The broadcasts that go on to the open pages of the person whom they name. */
export const liveBroadcasts = (): (Event & { live: string })[] =>
  serviceNames
    .flatMap((service) => [...eventsOf(service), jobProgress(service)])
    .filter((event): event is Event & { live: string } => event.delivery === 'broadcast' && 'live' in event && event.live !== undefined)
export const requestsOf = (service: ProcessName) => all(service).filter((contract) => contract.kind === 'request') as Request[]
export const jobsOf = (service: ProcessName) => all(service).filter((contract) => contract.kind === 'job') as Job[]
/** The shapes that a service's contracts are made of, by the names that they are exported under. */
export const shapesOf = (service: ProcessName): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(contracts[service]).filter(([, value]) => isShape(value)))
const isShape = (value: unknown) => value instanceof z.ZodObject || value instanceof z.ZodUnion || value instanceof z.ZodEnum

/** Something that can be done for a person, with what its callers need: an assistant's tool, a palette's entry, a page of the reference. */
export type Capability = {
  /** `list-payments`: the function's name, by which it is called from everywhere. */
  name: string
  service: ProcessName
  title: string
  when: string
  effect: Effect
  unit: Action['unit']
  needs: readonly string[]
  summary: string
  /** JSON schemas of what goes in and what comes out. */
  input: Record<string, unknown>
  output: Record<string, unknown>
  contract: Endpoint & { action: Action }
}

const FUNCTIONS = '/functions/v1/'
export const nameOf = (contract: Pick<Endpoint, 'path'>): string => contract.path.slice(FUNCTIONS.length)

/** Every capability of these services. Their schemas are made when they are first read. */
export function capabilitiesOf(by: Partial<Record<ProcessName, object>> = contracts): Capability[] {
  return (Object.keys(by) as ProcessName[]).flatMap((service) =>
    Object.values(by[service]!)
      .filter((value): value is Endpoint & { action: Action } => value?.kind === 'endpoint' && value.action !== undefined)
      .map((contract) => capabilityOf(service, contract)),
  )
}

function capabilityOf(service: ProcessName, contract: Endpoint & { action: Action }): Capability {
  const { title, when, effect, unit, needs = [] } = contract.action
  const schemas: { input?: Record<string, unknown>; output?: Record<string, unknown> } = {}
  return {
    name: nameOf(contract),
    service,
    title,
    when,
    effect,
    unit,
    needs,
    summary: contract.summary ?? title,
    get input() {
      schemas.input ??= contract.body ? asObject(jsonSchema(contract.body, 'input')) : { type: 'object', properties: {} }
      return schemas.input
    },
    get output() {
      schemas.output ??= jsonSchema(contract.reply, 'output')
      return schemas.output
    },
    contract,
  }
}

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Record<string, any> => {
  const { $schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return json
}

/** A tool's input is an object; a body that may be absent as a whole is one as well. */
function asObject(json: Record<string, any>): Record<string, unknown> {
  const branches: Record<string, any>[] | undefined = json.anyOf
  return branches?.find((branch) => branch.type === 'object') ?? json
}

const owners = new Map<string, ProcessName>()
/** The service that answers to a function. */
export function ownerOf(contract: Pick<Endpoint, 'path'>): ProcessName {
  if (owners.size === 0)
    for (const service of Object.keys(contracts) as ProcessName[]) for (const { path } of endpointsOf(service)) owners.set(path, service)
  const owner = owners.get(contract.path)
  if (!owner) throw new Error(`no service of the registry answers ${contract.path}`)
  return owner
}
