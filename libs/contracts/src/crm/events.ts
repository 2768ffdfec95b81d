import { z } from 'zod'
import { event, job, personal } from '../contract.ts'

export const leadCreated = event('crm.lead_created', z.object({ lead_id: z.uuid() }), {
  activity: () => 'Added a lead',
  link: ({ lead_id }) => `/dashboard/crm?contact=${lead_id}`,
  trigger: { title: 'A lead was added', description: 'By a form, an import or by hand.' },
})
export const appointmentBooked = event('crm.appointment_booked', z.object({ appointment_id: z.uuid() }), {
  activity: () => 'Booked an appointment',
  trigger: { title: 'An appointment was booked', description: 'By a visitor or by hand.' },
})
export const campaignCreated = event('crm.campaign_created', z.object({ campaign_id: z.uuid(), name: personal(z.string()) }), {
  activity: ({ name }) => `Created the campaign ${name}`,
})
/** `sent` is how many mails this step added, so that the steps of one campaign sum up in any order. */
export const campaignSent = event('crm.campaign_sent', z.object({ campaign_id: z.uuid(), name: personal(z.string()), sent: z.int() }), {
  trigger: { title: 'A campaign was sent', description: 'With how many emails this step sent.' },
})

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
