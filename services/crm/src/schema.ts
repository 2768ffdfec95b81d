import type { PaceDb } from '@operon/kit/mail/paces'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { CalendarDb } from './calendar/schema.ts'
import type { CompaniesDb } from './companies/schema.ts'
import type { DealsDb } from './deals/schema.ts'
import type { EmailDb } from './email/schema.ts'
import type { FieldsDb } from './fields/schema.ts'
import type { FormsDb } from './forms/schema.ts'
import type { NotionDb } from './notion/schema.ts'
import type { SyncDb } from './sync/schema.ts'
import type { ViewsDb } from './views/views.ts'

export type CrmDb = PaceDb &
  CalendarDb &
  CompaniesDb &
  DealsDb &
  FieldsDb &
  FormsDb &
  NotionDb &
  SyncDb &
  ViewsDb &
  EmailDb & {
    leads: {
      id: string
      user_id: string
      name: string
      email: string | null
      status: Generated<string>
      source: Generated<string>
      created_at: Generated<Date>
      phone: string | null
      /** As the person, a form or an import named it. */
      company: string | null
      company_id: string | null
      /** By the ids of `contact_fields`. */
      fields: ColumnType<Record<string, string | number | boolean>, string | undefined, string>
      job_title: string | null
      tags: Generated<string[]>
      /** See `warmed` in the migration: all that is known of how warm a contact is. */
      hot_until: Generated<Date>
      last_activity_at: Generated<Date>
      version: Generated<number>
      search: GeneratedAlways<string>
    }
    /** Kept by triggers on `leads`. */
    contact_counts: { user_id: string; contacts: number; with_email: number }
    /** An address, in lower case, belongs to one contact of an account. */
    contact_emails: { id: string; user_id: string; email: string; contact_id: string; created_at: Generated<Date> }
    /** Digits alone, after a plus where the country is known. */
    contact_phones: { id: string; user_id: string; phone: string; contact_id: string; created_at: Generated<Date> }
    /** Consents and suppressions of an account, over every channel. */
    consents: {
      id: string
      user_id: string
      channel: 'email' | 'sms' | 'call' | 'ads'
      address: string
      state: 'given' | 'withdrawn' | 'bounced' | 'complained'
      evidence: string
      at: Generated<Date>
    }
    /** The timelines. */
    activities: {
      id: string
      user_id: string
      contact_id: string
      kind: string
      text: string
      points: Generated<number>
      event_id: string | null
      at: Generated<Date>
    }
    /** The records that notes mention, each by its id, and where in the text its name stands. */
    note_mentions: {
      id: string
      user_id: string
      activity_id: string
      contact_id: string | null
      company_id: string | null
      deal_id: string | null
      starts: number
      length: number
    }
    tasks: {
      id: string
      user_id: string
      contact_id: string | null
      title: string
      due_at: Date | null
      done_at: Date | null
      told_at: Date | null
      created_at: Generated<Date>
    }
    /** Which of the person's files belong to a contact. */
    contact_files: { id: string; user_id: string; contact_id: string; file_id: string; name: string; added_at: Generated<Date> }
    /** Contacts that were deleted, as they were. */
    contact_images: { id: string; user_id: string; contact_id: string; image: unknown; at: Generated<Date> }
    /** A contact as it was before another became part of it, and the rows that came along. */
    contact_merges: {
      id: string
      user_id: string
      kept_id: string
      gone_id: string
      gone: unknown
      before: unknown
      after: unknown
      moved: unknown
      at: Generated<Date>
    }
    import_runs: {
      id: string
      user_id: string
      file_name: string
      columns: string[]
      mapping: Record<string, number> | null
      on_match: 'fill' | 'overwrite' | 'skip' | null
      state: Generated<'uploading' | 'running' | 'done' | 'undoing' | 'undone' | 'failed'>
      added: Generated<number>
      changed: Generated<number>
      undone: { removed: number; restored: number; kept: number } | null
      at: Generated<Date>
    }
    import_rows: {
      id: Generated<string>
      import_id: string
      user_id: string
      n: number
      cells: string[]
      fields: unknown
      action: 'new' | 'changed' | 'same' | 'refused' | null
      reason: string | null
      contact_id: string | null
      before: unknown
    }
    appointments: { id: string; user_id: string; title: string; status: Generated<string>; starts_at: Date; created_at: Generated<Date> }
    newsletter_subscribers: {
      id: string
      /** In lower case. */
      email: string
      status: 'pending' | 'confirmed' | 'unsubscribed'
      confirm_hash: string | null
      confirm_expires_at: Date | null
      unsubscribe_hash: string
      created_at: Generated<Date>
      confirmed_at: Date | null
      unsubscribed_at: Date | null
    }
    sign_up_records: {
      user_id: string
      email: string
      name: string
      referral_code: string | null
      signup_date: Date
      accept_terms: boolean
      /** Consent to marketing mail, given at `signup_date`. */
      accept_marketing: boolean
    }
    /** Where a mail about the account goes: identity's row, as its events tell it. */
    people: { user_id: string; email: string | null; version: number }
    erased_people: { user_id: string; at: Generated<Date> }
  }
