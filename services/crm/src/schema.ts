import type { PaceDb } from '@operon/kit/mail/paces'
import type { Generated } from 'kysely'

export type CrmDb = PaceDb & {
  leads: {
    id: string
    user_id: string
    name: string
    email: string | null
    status: Generated<string>
    source: Generated<string>
    created_at: Generated<Date>
  }
  appointments: { id: string; user_id: string; title: string; status: Generated<string>; starts_at: Date; created_at: Generated<Date> }
  email_campaigns: {
    id: string
    user_id: string
    name: string
    status: Generated<string>
    sent_count: Generated<number>
    created_at: Generated<Date>
  }
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
