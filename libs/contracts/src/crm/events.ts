import { z } from 'zod'
import { SaleKind } from '../billing/selling.ts'
import { event, job, type Notice, personal, plain } from '../contract.ts'
import { moment, money } from '../words.ts'
import type { ActivityKind } from './heat.ts'

export const leadCreated = event('crm.lead_created', z.object({ lead_id: z.uuid() }), {
  activity: () => 'Added a lead',
  link: ({ lead_id }) => `/dashboard/crm?contact=${lead_id}`,
  trigger: { title: 'A lead was added', description: 'By a form, an import or by hand.' },
})
export const contactMerged = event('crm.contact_merged', z.object({ kept_id: z.uuid(), merged_id: z.uuid() }), {
  activity: () => 'Merged two contacts',
  link: ({ kept_id }) => `/dashboard/crm?contact=${kept_id}`,
  trigger: { title: 'Two contacts were merged', description: 'With the one that was kept and the one that is gone.' },
})
const company = z.object({ company_id: z.uuid(), name: personal(z.string()), domain: personal(z.string()).nullable() })
const companyLink = ({ company_id }: { company_id: string }) => `/dashboard/crm?tab=companies&company=${company_id}` as const
export const companyAdded = event('crm.company_added', company, {
  activity: ({ name }) => `Added the company ${name}`,
  link: companyLink,
  trigger: {
    title: 'A company was added',
    description: 'By hand, the assistant, a workflow or a program. Not one that was made for a contact or by an import.',
  },
})
export const companyFields = ['name', 'domain', 'phone', 'notes'] as const
/** It is told only where a field has another value than before. */
export const companyChanged = event('crm.company_changed', company.extend({ changed: z.array(z.enum(companyFields)) }), {
  activity: ({ name }) => `Changed the company ${name}`,
  link: companyLink,
  trigger: { title: 'A company was changed', description: 'Its name, domain, phone or notes, with the names of the fields that changed.' },
})
const booked = z.object({
  appointment_id: z.uuid(),
  // The version before tells the id alone.
  title: personal(z.string()).optional(),
  starts_at: z.iso.datetime().optional(),
  guest_name: personal(z.string()).nullish(),
  guest_email: personal(z.string()).nullish(),
  guest_phone: personal(z.string()).nullish(),
  by: z.enum(['guest', 'owner']).optional(),
})
type Booked = z.output<typeof booked>
const link = () => '/dashboard/calendar' as const
const timeline =
  (text: string, kind: ActivityKind) =>
  ({ title, guest_email: email, guest_name: name, guest_phone: phone }: Booked) =>
    email ? { email, ...(name && { name }), phone: phone ?? null, kind, text: `${text} ${title ?? 'an appointment'}` } : null
/** The owner hears of what others did, not of what they did themselves. */
const notice =
  (title: string) =>
  ({ by, guest_name, title: about, starts_at, appointment_id }: Booked): Notice[] =>
    by === 'guest' && starts_at
      ? [
          {
            kind: 'booking',
            title,
            body: `${guest_name}: ${about}, ${moment(new Date(starts_at))}.`,
            link: link(),
            about: `${appointment_id}:${title}:${starts_at}`,
          },
        ]
      : []

export const appointmentBooked = event('crm.appointment_booked', booked, {
  activity: () => 'Booked an appointment',
  link,
  notice: notice('You have a new booking'),
  timeline: timeline('Booked', 'booking'),
  trigger: { title: 'An appointment was booked', description: 'By a visitor or by hand.' },
  live: 'calendar',
})
export const appointmentCancelled = event('crm.appointment_cancelled', booked, {
  activity: () => 'Cancelled an appointment',
  link,
  notice: notice('A booking was cancelled'),
  timeline: timeline('Cancelled', 'change'),
  trigger: { title: 'An appointment was cancelled', description: 'By its guest or its owner.' },
  live: 'calendar',
})
export const appointmentMoved = event('crm.appointment_moved', booked, {
  activity: () => 'Moved an appointment',
  link,
  notice: notice('A booking was moved'),
  timeline: timeline('Moved', 'change'),
  trigger: { title: 'An appointment was moved', description: 'To another time, by its guest or its owner.' },
  live: 'calendar',
})
export const appointmentConfirmed = event('crm.appointment_confirmed', booked, {
  activity: () => 'Confirmed a booking',
  link,
  timeline: timeline('Confirmed', 'change'),
  trigger: { title: 'A booking was confirmed', description: 'One that waited for the approval of its owner.' },
  live: 'calendar',
})
export const guestMissing = event('crm.guest_missing', booked, {
  activity: () => 'A guest did not come',
  link,
  timeline: timeline('Did not come to', 'change'),
  trigger: { title: 'A guest did not come', description: 'To an appointment that they had booked.' },
  live: 'calendar',
})

/** A paid time is over, or was cancelled too late: its seller's share leaves the hold a week later. */
export const bookingKept = event('crm.booking_kept', z.object({ kind: SaleKind, reference: z.uuid(), seller_id: z.uuid() }))

export const bookingMails = [
  'booked',
  'requested',
  'confirmed',
  'declined',
  'moved',
  'cancelled',
  'reminder',
  'too_late',
  'refunded',
] as const
/** One email about a booking, to one side. It is not sent where the booking has another state or time by then: that has an email of its own. */
export const bookingMail = job(
  'crm.booking_mail',
  z.object({
    booking_id: z.uuid(),
    kind: z.enum(bookingMails),
    to: z.enum(['guest', 'host']),
    starts_at: z.iso.datetime(),
    by: z.enum(['guest', 'owner']).optional(),
  }),
  { attempts: 12 },
)
/** One text message to the guest of a booking. It is not sent where the booking has another state or time by then. */
export const bookingText = job('crm.booking_text', z.object({ booking_id: z.uuid(), starts_at: z.iso.datetime() }), { attempts: 12 })
/** Gives a guest their payment back, once. */
export const payBookingBack = job('crm.pay_booking_back', z.object({ booking_id: z.uuid(), reason: z.string() }), { attempts: 12 })
/** Takes what contacts have in a field that was deleted. */
export const forgetField = job('crm.forget_field', z.object({ user_id: z.uuid(), field_id: z.uuid() }))
/** Looks which calendars a person has connected. */
export const findCalendars = job('crm.find_calendars', z.object({ user_id: z.uuid() }))
/** Reads a calendar over there from where its last reading ended. */
export const syncCalendar = job('crm.sync_calendar', z.object({ calendar_id: z.uuid() }))
/** Brings the calendars over there level with a booking. */
export const copyBooking = job('crm.copy_booking', z.object({ booking_id: z.uuid() }), { attempts: 8 })
/** An appointment was moved or deleted in a calendar over there. Nothing is done where it has another version by then. */
export const followCopy = job(
  'crm.follow_copy',
  z.object({
    ...{ user_id: z.uuid(), calendar_id: z.uuid(), booking_id: z.uuid(), version: z.int(), removed: z.boolean() },
    ...{ starts_at: z.string().nullable(), ends_at: z.string().nullable(), updated_at: z.string().nullable() },
  }),
)
/** It was moved over there to a time that is taken here. */
export const copyPutBack = event(
  'crm.copy_put_back',
  z.object({ appointment_id: z.uuid(), title: personal(z.string()), starts_at: z.iso.datetime() }),
  {
    notice: ({ title, starts_at, appointment_id }) => [
      {
        kind: 'booking',
        title: `“${title}” was not moved`,
        body: `The time you moved it to in your connected calendar is taken. It is still on ${moment(new Date(starts_at))}.`,
        link: link(),
        about: `${appointment_id}:put back:${starts_at}`,
      },
    ],
    live: 'calendar',
  },
)
/** Many appointments were deleted over there at once. */
export const copiesDeleted = event('crm.copies_deleted', z.object({ app: plain(z.string()), count: z.int() }), {
  notice: ({ count }) => [
    {
      kind: 'booking',
      title: `${count} appointments were deleted in your connected calendar`,
      body: 'They stay here, since so many at once may be a mistake. Cancel here what is off, and its guests are told.',
      link: link(),
    },
  ],
})
export const syncDue = job('crm.sync_due', z.object({}))
/** Brings the contacts of an account and its Notion database level. */
export const syncNotion = job('crm.sync_notion', z.object({ sync_id: z.uuid() }))
export const notionDue = job('crm.notion_due', z.object({}))
export const bookingReminders = job('crm.booking_reminders', z.object({}))
export const campaignCreated = event('crm.campaign_created', z.object({ campaign_id: z.uuid(), name: personal(z.string()) }), {
  activity: ({ name }) => `Created the campaign ${name}`,
})
/** `sent` is how many mails this step added, so that the steps of one campaign sum up in any order. */
export const campaignSent = event('crm.campaign_sent', z.object({ campaign_id: z.uuid(), name: personal(z.string()), sent: z.int() }), {
  trigger: { title: 'A campaign was sent', description: 'With how many emails this step sent.' },
})

const deal = z.object({
  deal_id: z.uuid(),
  contact_id: z.uuid().nullable(),
  title: personal(z.string()),
  amount_cents: z.int(),
  currency: plain(z.string()),
  stage: personal(z.string()),
})
const dealLink = ({ deal_id }: { deal_id: string }) => `/dashboard/crm?tab=deals&deal=${deal_id}` as const
const worth = (deal: { amount_cents: number; currency: string }) => (deal.amount_cents ? ` for ${money(deal)}` : '')
/** The timeline of the contact has each of these as well, written with the change: a contact may have no address to be told by. */
export const dealCreated = event('crm.deal_created', deal, {
  activity: (payload) => `Added the deal ${payload.title}${worth(payload)}`,
  link: dealLink,
  trigger: { title: 'A deal was added', description: 'With its amount and its stage.' },
  live: 'deals',
})
export const dealMoved = event('crm.deal_moved', deal.extend({ from: personal(z.string()) }), {
  activity: ({ title, stage }) => `Moved ${title} to ${stage}`,
  link: dealLink,
  trigger: { title: 'A deal changed its stage', description: 'To another stage, or back from won or lost.' },
  live: 'deals',
})
export const dealWon = event('crm.deal_won', deal, {
  activity: (payload) => `Won ${payload.title}${worth(payload)}`,
  link: dealLink,
  trigger: { title: 'A deal was won', description: 'With its amount.' },
  live: 'deals',
})
export const dealLost = event('crm.deal_lost', deal.extend({ reason: personal(z.string()) }), {
  activity: ({ title, reason }) => `Lost ${title}${reason ? `: ${reason}` : ''}`,
  link: dealLink,
  trigger: { title: 'A deal was lost', description: 'With the reason that was noted.' },
  live: 'deals',
})
/** The timeline of the contact has it as well, written with what was sent. */
export const formSubmitted = event(
  'crm.form_submitted',
  z.object({
    submission_id: z.uuid(),
    form_id: z.uuid().nullable(),
    contact_id: z.uuid(),
    title: personal(z.string()),
    name: personal(z.string()),
    email: personal(z.string()),
  }),
  {
    link: ({ contact_id }) => `/dashboard/crm?contact=${contact_id}` as const,
    notice: ({ title, name, contact_id }) => [
      { kind: 'lead', title: 'You have a new lead', body: `${name} sent “${title}”.`, link: `/dashboard/crm?contact=${contact_id}` },
    ],
    trigger: { title: 'A lead form was sent', description: 'By a visitor, or by a program that passes leads on.' },
    live: 'forms',
  },
)
/** Ends the 30 days in which a deleted deal can be brought back. */
export const forgetDeletedDeals = job('crm.forget_deleted_deals', z.object({}))

export const taskDue = event(
  'crm.task_due',
  z.object({ task_id: z.uuid(), contact_id: z.uuid().nullable(), title: personal(z.string()) }),
  {
    notice: ({ title, contact_id }) => [
      {
        kind: 'task',
        title: `Due: ${title}`,
        body: 'Mark it as done when it is.',
        link: contact_id ? `/dashboard/crm?contact=${contact_id}` : '/dashboard/crm?tab=tasks',
      },
    ],
    trigger: { title: 'A task is due', description: 'At the time that was set for it.' },
  },
)
/** How many leads there are changed otherwise than by one that was added: imported, deleted, brought back. */
export const leadCountChanged = event('crm.lead_count_changed', z.object({ change: z.int() }), {
  activity: ({ change }) => (change > 1 ? `Imported ${change.toLocaleString('en-US')} contacts` : null),
  link: () => '/dashboard/crm',
})
export const workOnImport = job('crm.work_on_import', z.object({ import_id: z.uuid() }), { attempts: 3 })
export const forgetImports = job('crm.forget_imports', z.object({}))
/** Looks for tasks that have come due. */
export const remind = job('crm.remind', z.object({}))
/** Ends the 30 days in which a deleted contact can be brought back. */
export const forgetDeletedContacts = job('crm.forget_deleted_contacts', z.object({}))

/** Carries no token: it is derived from the job's id, so a retry sends the same link. */
export const newsletterMail = job('crm.newsletter_mail', z.object({ subscriber_id: z.uuid(), template: z.enum(['confirm', 'welcome']) }), {
  attempts: 12,
})
export const newsletterSweep = job('crm.newsletter_sweep', z.object({}))

const words = {
  subject: z.string(),
  title: z.string(),
  text: z.string(),
  label: z.string(),
  path: z
    .string()
    .startsWith('/')
    .meta({ examples: ['/pricing'] }),
  after: z.string(),
}

/** A mail about the account itself. The words are settled when the event comes; the address is read when it is sent. */
export const accountMail = job('crm.account_mail', z.object({ user_id: z.uuid(), ...words }), { attempts: 12 })
/** A mail to somebody whom an event names: a buyer, who may have no account. */
export const letter = job('crm.letter', z.object({ to: z.string().max(320), person: z.uuid().nullable(), ...words }), { attempts: 12 })
