import { erasesPeople } from '@operon/kit/erasure'
import { openMailer } from '@operon/kit/mail/mailer'
import { messagePaces, watchLoad } from '@operon/kit/mail/paces'
import { openTexter } from '@operon/kit/mail/texts'
import { platformPace, textPlatformPace } from '@operon/kit/mail/turns'
import type { ServiceDefinition } from '@operon/kit/service'
import { accountMailConsumers } from './accountMail/consumers.ts'
import { bookingJobs, bookingRoutes } from './booking/routes.ts'
import { hostConsumers } from './calendar/hosts.ts'
import { calendarRoutes } from './calendar/routes.ts'
import { companyRoutes } from './companies/routes.ts'
import { Config } from './config.ts'
import { contactConsumers } from './contacts/consumers.ts'
import { contactRoutes } from './contacts/routes.ts'
import { dealRoutes } from './deals/routes.ts'
import { emailRoutes } from './email/routes.ts'
import { erasure } from './erasure.ts'
import { fieldRoutes } from './fields/routes.ts'
import { formRoutes } from './forms/routes.ts'
import { importRoutes } from './imports/routes.ts'
import * as crm from './migrations/0001_crm.ts'
import * as people from './migrations/0002_people.ts'
import * as rowsOfAPerson from './migrations/0004_rows_of_a_person.ts'
import * as unconfirmed from './migrations/0005_unconfirmed.ts'
import * as contacts from './migrations/0010_contacts.ts'
import * as imports from './migrations/0011_imports.ts'
import * as calendar from './migrations/0030_calendar.ts'
import * as email from './migrations/0040_email.ts'
import * as emailTallies from './migrations/0041_email_tallies.ts'
import * as deals from './migrations/0060_deals.ts'
import * as contactCounts from './migrations/0070_contact_counts.ts'
import * as emailTemplates from './migrations/0080_email_templates.ts'
import * as forms from './migrations/0090_forms.ts'
import * as companies from './migrations/0091_companies.ts'
import * as merges from './migrations/0092_merges.ts'
import * as sync from './migrations/0093_sync.ts'
import * as fields from './migrations/0094_fields.ts'
import * as views from './migrations/0095_views.ts'
import * as paidBookings from './migrations/0096_paid_bookings.ts'
import * as followedCalendars from './migrations/0097_followed_calendars.ts'
import * as endedEmails from './migrations/0101_ended_emails.ts'
import * as optInAsks from './migrations/0102_opt_in_asks.ts'
import * as dealsOfStage from './migrations/0103_deals_of_stage.ts'
import * as notionSync from './migrations/0104_notion_sync.ts'
import * as contactFiles from './migrations/0105_contact_files.ts'
import * as notionTasks from './migrations/0106_notion_tasks.ts'
import * as sequences from './migrations/0107_sequences.ts'
import * as series from './migrations/0108_series.ts'
import * as textReminders from './migrations/0109_text_reminders.ts'
import * as mentions from './migrations/0110_mentions.ts'
import * as topics from './migrations/0111_topics.ts'
import * as sequenceEnds from './migrations/0113_sequence_ends.ts'
import * as sequenceProblem from './migrations/0114_sequence_problem.ts'
import { newsletterJobs } from './newsletter/jobs.ts'
import { newsletterRoutes } from './newsletter/routes.ts'
import { notionSyncRoutes } from './notion/routes.ts'
import { peopleConsumers } from './people/consumers.ts'
import { previewed } from './previewed.ts'
import type { CrmDb } from './schema.ts'
import { syncRoutes } from './sync/routes.ts'
import { tableRoutes } from './tables/routes.ts'
import { viewRoutes } from './views/views.ts'

export const crmService: ServiceDefinition<CrmDb, Config> = {
  name: 'crm',
  config: Config,
  previewed,
  migrations: {
    '0001_crm': crm,
    '0002_people': people,
    '0003_message_paces': messagePaces,
    '0004_rows_of_a_person': rowsOfAPerson,
    '0005_unconfirmed': unconfirmed,
    '0010_contacts': contacts,
    '0011_imports': imports,
    '0030_calendar': calendar,
    '0040_email': email,
    '0041_email_tallies': emailTallies,
    '0060_deals': deals,
    '0070_contact_counts': contactCounts,
    '0080_email_templates': emailTemplates,
    '0090_forms': forms,
    '0091_companies': companies,
    '0092_merges': merges,
    '0093_sync': sync,
    '0094_fields': fields,
    '0095_views': views,
    '0096_paid_bookings': paidBookings,
    '0097_followed_calendars': followedCalendars,
    '0101_ended_emails': endedEmails,
    '0102_opt_in_asks': optInAsks,
    '0103_deals_of_stage': dealsOfStage,
    '0104_notion_sync': notionSync,
    '0105_contact_files': contactFiles,
    '0106_notion_tasks': notionTasks,
    '0107_sequences': sequences,
    '0108_series': series,
    '0109_text_reminders': textReminders,
    '0110_mentions': mentions,
    '0111_topics': topics,
    '0113_sequence_ends': sequenceEnds,
    '0114_sequence_problem': sequenceProblem,
  },
  sandboxed: ({ SMTP_URL, SMS_API_URL }) => [...(SMTP_URL ? [] : ['smtp' as const]), ...(SMS_API_URL ? [] : ['sms' as const])],
  setup(rt) {
    const mailer = openMailer(rt)
    rt.onStop(mailer.close)
    const texter = openTexter(rt)
    watchLoad(rt, [platformPace(rt.config), textPlatformPace(rt.config)])
    tableRoutes(rt)
    contactRoutes(rt)
    contactConsumers(rt)
    importRoutes(rt)
    dealRoutes(rt)
    formRoutes(rt)
    companyRoutes(rt)
    fieldRoutes(rt)
    viewRoutes(rt)
    calendarRoutes(rt, texter)
    bookingRoutes(rt, mailer, texter)
    bookingJobs(rt, mailer, texter)
    hostConsumers(rt)
    syncRoutes(rt)
    notionSyncRoutes(rt)
    emailRoutes(rt, mailer)
    newsletterRoutes(rt)
    newsletterJobs(rt, mailer)
    peopleConsumers(rt)
    accountMailConsumers(rt, mailer)
    erasesPeople(rt, erasure)
  },
}
