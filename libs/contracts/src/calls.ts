import type * as aiGateway from './ai-gateway/api.ts'
import type * as aiApprovals from './ai-gateway/approvals.ts'
import type * as aiMemory from './ai-gateway/memory.ts'
import type * as aiOpenAi from './ai-gateway/openai.ts'
import type * as aiTools from './ai-gateway/tools.ts'
import type * as aiWriting from './ai-gateway/writing.ts'
import type * as analytics from './analytics/api.ts'
import type * as billing from './billing/api.ts'
import type * as billingDocuments from './billing/documents.ts'
import type * as billingMonths from './billing/months.ts'
import type * as billingPlansStaff from './billing/plans-staff.ts'
import type * as billingSales from './billing/sales.ts'
import type * as billingSellers from './billing/sellers.ts'
import type * as billingSellingStaff from './billing/selling-staff.ts'
import type * as billingStaff from './billing/staff.ts'
import type * as billingTopUps from './billing/top-ups.ts'
import type { Args, Reply } from './contract.ts'
import type * as crm from './crm/api.ts'
import type * as crmAppointments from './crm/appointments.ts'
import type * as crmBooking from './crm/booking.ts'
import type * as crmCalendar from './crm/calendar.ts'
import type * as crmCompanies from './crm/companies.ts'
import type * as crmContacts from './crm/contacts.ts'
import type * as crmDeals from './crm/deals.ts'
import type * as crmAudience from './crm/email/audience.ts'
import type * as crmCampaigns from './crm/email/campaigns.ts'
import type * as crmEmailChecks from './crm/email/checks.ts'
import type * as crmCampaignReport from './crm/email/report.ts'
import type * as crmSegments from './crm/email/segments.ts'
import type * as crmSenders from './crm/email/senders.ts'
import type * as crmSending from './crm/email/sending.ts'
import type * as crmSequences from './crm/email/sequences.ts'
import type * as crmSingleEmails from './crm/email/single.ts'
import type * as crmEmailTemplates from './crm/email/templates.ts'
import type * as crmEmailTopics from './crm/email/topics.ts'
import type * as crmFields from './crm/fields.ts'
import type * as crmFiles from './crm/files.ts'
import type * as crmForms from './crm/forms.ts'
import type * as crmImports from './crm/imports.ts'
import type * as crmMail from './crm/mail.ts'
import type * as crmMerges from './crm/merges.ts'
import type * as crmNotionSync from './crm/notion-sync.ts'
import type * as crmPipelines from './crm/pipelines.ts'
import type * as crmSync from './crm/sync.ts'
import type * as crmViews from './crm/views.ts'
import type { accountErasures } from './erasure.ts'
import type * as gateway from './gateway/api.ts'
import type * as identity from './identity/api.ts'
import type * as identityExports from './identity/exports.ts'
import type * as identityKeys from './identity/keys.ts'
import type * as integrationsAdRules from './integrations/ad-rules.ts'
import type * as integrationsAds from './integrations/ads.ts'
import type * as integrations from './integrations/api.ts'
import type * as integrationsCaldav from './integrations/caldav.ts'
import type * as integrationsConnections from './integrations/connections.ts'
import type * as integrationsCustom from './integrations/custom.ts'
import type * as integrationsMail from './integrations/mail.ts'
import type * as integrationsNotion from './integrations/notion.ts'
import type * as integrationsWatches from './integrations/watches.ts'
import type * as integrationsWishes from './integrations/wishes.ts'
import type * as marketplace from './marketplace/api.ts'
import type * as marketplaceBuyers from './marketplace/buyers.ts'
import type * as marketplaceCoupons from './marketplace/coupons.ts'
import type * as marketplaceFiles from './marketplace/files.ts'
import type * as marketplaceLicences from './marketplace/licences.ts'
import type * as marketplaceOrders from './marketplace/orders.ts'
import type * as marketplaceProducts from './marketplace/products.ts'
import type * as marketplaceRefunds from './marketplace/refunds.ts'
import type * as marketplaceReviews from './marketplace/reviews.ts'
import type * as marketplaceSelling from './marketplace/selling.ts'
import type * as marketplaceStorefront from './marketplace/storefront.ts'
import type * as marketplaceTemplates from './marketplace/templates.ts'
import type * as marketplaceThreads from './marketplace/threads.ts'
import type * as marketplaceTrust from './marketplace/trust.ts'
import type * as media from './media/api.ts'
import type * as mediaBoards from './media/boards.ts'
import type * as mediaFiles from './media/files.ts'
import type * as mediaVoice from './media/voice.ts'

// Types alone: the web app calls functions by their names, and no schema reaches its bundle.

type Modules = typeof aiGateway &
  typeof aiApprovals &
  typeof aiMemory &
  typeof aiOpenAi &
  typeof aiTools &
  typeof aiWriting &
  typeof analytics &
  typeof billing &
  typeof billingPlansStaff &
  typeof billingDocuments &
  typeof billingMonths &
  typeof billingSales &
  typeof billingSellers &
  typeof billingSellingStaff &
  typeof billingStaff &
  typeof billingTopUps &
  typeof crm &
  typeof crmCompanies &
  typeof crmContacts &
  typeof crmImports &
  typeof crmDeals &
  typeof crmFields &
  typeof crmFiles &
  typeof crmForms &
  typeof crmMail &
  typeof crmMerges &
  typeof crmNotionSync &
  typeof crmSync &
  typeof crmViews &
  typeof crmPipelines &
  typeof crmAppointments &
  typeof crmBooking &
  typeof crmCalendar &
  typeof crmAudience &
  typeof crmCampaigns &
  typeof crmCampaignReport &
  typeof crmEmailChecks &
  typeof crmEmailTemplates &
  typeof crmEmailTopics &
  typeof crmSegments &
  typeof crmSenders &
  typeof crmSending &
  typeof crmSequences &
  typeof crmSingleEmails &
  typeof gateway &
  typeof identity &
  typeof identityExports &
  typeof identityKeys &
  typeof integrations &
  typeof integrationsAdRules &
  typeof integrationsAds &
  typeof integrationsConnections &
  typeof integrationsCaldav &
  typeof integrationsCustom &
  typeof integrationsMail &
  typeof integrationsNotion &
  typeof integrationsWatches &
  typeof integrationsWishes &
  typeof marketplace &
  typeof marketplaceCoupons &
  typeof marketplaceFiles &
  typeof marketplaceLicences &
  typeof marketplaceProducts &
  typeof marketplaceSelling &
  typeof marketplaceStorefront &
  typeof marketplaceTemplates &
  typeof marketplaceTrust &
  typeof marketplaceBuyers &
  typeof marketplaceOrders &
  typeof marketplaceRefunds &
  typeof marketplaceReviews &
  typeof marketplaceThreads &
  typeof media &
  typeof mediaBoards &
  typeof mediaVoice &
  typeof mediaFiles & { accountErasures: typeof accountErasures }
type NameOf<E> = E extends { method: 'POST'; path: `/functions/v1/${infer N}` } ? N : never

/** Every named function, by its name. */
export type Calls = { [K in keyof Modules as NameOf<Modules[K]>]: Modules[K] }
type Contract<N extends keyof Calls> = Extract<Calls[N], { reply: import('zod').ZodType }>

/** The arguments and the reply of a function: `call<N extends keyof Calls>(name: N, args: CallArgs<N>): Promise<CallReply<N>>`. */
export type CallArgs<N extends keyof Calls> = Args<Contract<N>>
export type CallReply<N extends keyof Calls> = Reply<Contract<N>>
