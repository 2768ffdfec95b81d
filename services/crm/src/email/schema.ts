import type { EmailDocument } from '@operon/contracts/crm/email/document'
import type { SegmentTree } from '@operon/contracts/crm/email/segments'
import type { Generated, JSONColumnType } from 'kysely'

type At = Date | null
export type Ab = { subject: string; share_percent: number; after_hours: number }

export type EmailDb = {
  email_campaigns: {
    id: string
    user_id: string
    name: string
    status: Generated<string>
    sent_count: Generated<number>
    created_at: Generated<Date>
    subject: Generated<string>
    document: Generated<EmailDocument>
    sender_id: string | null
    segment_id: string | null
    segment: Generated<SegmentTree>
    /** Of an email of a sequence the sequence has it. One that was deleted counts as none. */
    topic_id: string | null
    ab: Ab | null
    winner: 'a' | 'b' | null
    decide_at: At
    scheduled_at: At
    reader_hour: number | null
    reason: string | null
    recipients: Generated<number>
    unknown_count: Generated<number>
    failed_count: Generated<number>
    skipped_count: Generated<number>
    delivered_count: Generated<number>
    opened_count: Generated<number>
    machine_count: Generated<number>
    clicked_count: Generated<number>
    bounced_count: Generated<number>
    complained_count: Generated<number>
    unsubscribed_count: Generated<number>
    /** Up to so many complaints its owner has gone on after. */
    complaints_seen: Generated<number>
    reservation_id: string | null
    started_at: At
    finished_at: At
    served_at: Generated<Date>
    next_at: Generated<Date>
    version: Generated<number>
    /** Of an email of a sequence. `step` is its place there, and null once it was removed from it. */
    sequence_id: string | null
    step: number | null
    /** After the email before it. */
    wait_minutes: Generated<number>
  }
  email_sequences: {
    id: string
    user_id: string
    name: string
    state: Generated<'draft' | 'running' | 'paused'>
    reason: string | null
    sender_id: string | null
    topic_id: string | null
    trigger_kind: Generated<'hand' | 'form' | 'tag'>
    trigger_of: string | null
    ends_on: Generated<('reply' | 'sale' | 'booking')[]>
    /** Why its emails do not go out although it runs, in words. */
    problem: string | null
    problem_step: string | null
    problem_at: At
    /** No later than when the next of its people is due. */
    due_at: At
    version: Generated<number>
    created_at: Generated<Date>
  }
  email_sequence_people: {
    id: string
    user_id: string
    sequence_id: string
    contact_id: string
    /** The email that comes next, or was the last one. */
    step_id: string
    /** While it is being sent. */
    recipient_id: string | null
    state: Generated<'waiting' | 'sending' | 'done' | 'left'>
    reason: string | null
    next_at: Date
    entered_at: Generated<Date>
  }
  email_recipients: {
    id: string
    campaign_id: string
    user_id: string
    contact_id: string | null
    email: string
    name: Generated<string>
    /** Null until the better subject is known. */
    variant: 'a' | 'b' | null
    state: Generated<'waiting' | 'sending' | 'sent' | 'unknown' | 'failed' | 'skipped'>
    due_at: Generated<Date>
    lease_until: At
    attempts: Generated<number>
    fence: Generated<number>
    provider_id: string | null
    reason: string | null
    look_at: At
    looks: Generated<number>
    sent_at: At
    delivered_at: At
    opened_at: At
    machine_opened_at: At
    clicked_at: At
    bounced_at: At
    soft_bounced_at: At
    complained_at: At
    unsubscribed_at: At
    replied_at: At
  }
  email_topics: { id: string; user_id: string; title: string; description: Generated<string>; created_at: Generated<Date> }
  email_topic_leavers: { id: string; user_id: string; topic_id: string; email: string; at: Generated<Date> }
  email_segments: { id: string; user_id: string; name: string; tree: JSONColumnType<SegmentTree>; created_at: Generated<Date> }
  email_templates: {
    id: string
    user_id: string
    name: string
    subject: Generated<string>
    document: JSONColumnType<EmailDocument>
    changed_at: Generated<Date>
  }
  email_senders: {
    id: string
    user_id: string
    provider: 'mailersend' | 'smtp' | 'sandbox'
    name: string
    email: string
    reply_to: string | null
    domain: string
    connection_id: string | null
    smtp_host: string | null
    smtp_port: number | null
    smtp_secure: boolean | null
    smtp_user: string | null
    /** Sealed, as are the private key and the secret. */
    smtp_password: string | null
    dkim_selector: string | null
    dkim_public: string | null
    dkim_private: string | null
    webhook_secret: string | null
    checks: Generated<{ spf: string; dkim: string; dmarc: string }>
    checked_at: At
    is_default: Generated<boolean>
    version: Generated<number>
    created_at: Generated<Date>
  }
  email_events: {
    id: string
    user_id: string
    campaign_id: string
    recipient_id: string
    kind: string
    machine: Generated<boolean>
    url: Generated<string>
    at: Generated<Date>
  }
  /** `link` by its address, `opened` and `clicked` by the hour, and by subject as `opened a`. */
  email_tallies: { campaign_id: string; user_id: string; what: string; of: string; n: Generated<number> }
  /** Webhooks of providers that were taken. */
  email_hints: { id: string; at: Generated<Date> }
  email_opt_ins: { id: string; user_id: string; email: string; asked_at: Generated<Date>; confirmed_at: At; asks: Generated<number> }
  /** Single emails that programs send. */
  email_messages: {
    id: string
    user_id: string
    email: string
    subject: string
    state: string
    key: string | null
    created_at: Generated<Date>
    /** When its recipient asked for no more such emails. */
    ended_at: At
  }
}
