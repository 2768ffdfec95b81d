import { deleteRows, type Eraser } from '@operon/kit/erasure'
import { sql } from 'kysely'
import { forgetPerson } from './people/people.ts'
import type { CrmDb } from './schema.ts'

/** Each has its owner in `user_id` and an index of it with the id. */
const owned = [
  // First, so that a sync that runs meanwhile brings no contact back.
  'notion_links',
  'notion_syncs',
  'leads',
  'contact_emails',
  'contact_phones',
  'consents',
  'note_mentions',
  'activities',
  'tasks',
  'contact_files',
  'contact_images',
  'import_runs',
  'import_rows',
  'appointments',
  'bookings',
  'booking_payments',
  'event_types',
  'email_events',
  'email_recipients',
  'email_sequence_people',
  'email_campaigns',
  'email_sequences',
  'email_topic_leavers',
  'email_topics',
  'email_segments',
  'email_templates',
  'email_senders',
  'email_opt_ins',
  'email_messages',
  'deal_stage_history',
  'deals',
  'pipeline_stages',
  'pipelines',
  'lead_submissions',
  'lead_forms',
  'companies',
  'contact_merges',
  'external_events',
  'event_copies',
  'synced_calendars',
  'contact_fields',
  'contact_views',
]

/** Ranges that JSON has no form for, and secrets. */
const unshown: Record<string, string[]> = {
  bookings: ['during'],
  synced_calendars: ['cursor'],
  notion_syncs: ['cursor', 'lease'],
  email_senders: ['smtp_password', 'dkim_private', 'webhook_secret'],
}

/** A tombstone stays, so that an event that arrives late brings nobody back; their letters, contacts and campaigns go. */
export const erasure: Eraser<CrmDb> = {
  long: ['email_tallies', ...owned].map((table) => ({ table })),
  async erase(trx, userId) {
    const people = await forgetPerson(trx, userId)
    return {
      deleted: { ...people, ...(await deleteRows(trx, [...owned, 'contact_counts', 'email_tallies', 'schedules', 'hosts'], userId)) },
    }
  },
  holds: [
    { table: 'people', key: null },
    { table: 'sign_up_records', key: null },
    {
      table: 'newsletter_subscribers',
      of: (userId) =>
        sql`t.email in (select lower(email) from people where user_id = ${userId} union select lower(email) from sign_up_records where user_id = ${userId})`,
      without: ['confirm_hash', 'unsubscribe_hash'],
    },
    ...owned.map((table) => ({ table, ...(unshown[table] && { without: unshown[table] }) })),
    { table: 'contact_counts', key: null },
    { table: 'schedules', key: null },
    { table: 'hosts', key: null },
    { table: 'email_tallies', key: null },
  ],
}
