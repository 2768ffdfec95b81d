import type { Previewed } from '@operon/kit/previews'

/** The tables that previews of this service's actions speak of, a line each. */
export const previewed: Previewed = {
  leads: {
    ...{ one: 'contact', id: 'lead' },
    shows: {
      name: 'Name',
      email: 'Email',
      phone: 'Phone',
      company: 'Company',
      job_title: 'Job title',
      status: 'Status',
      tags: 'Tags',
      fields: 'Fields',
    },
  },
  companies: {
    ...{ one: 'company', many: 'companies', id: 'company', deletedAt: 'deleted_at' },
    shows: { name: 'Name', domain: 'Domain', phone: 'Phone', notes: 'Notes' },
  },
  deals: {
    ...{ one: 'deal', id: 'deal', deletedAt: 'deleted_at' },
    shows: { title: 'Title', amount_cents: 'Amount', expected_close: 'Expected close', owner: 'Owner', state: 'State' },
  },
  deal_stage_history: { one: 'step of a deal', many: 'steps of deals', id: 'deal_change', shows: { stage: 'Stage', state: 'State' } },
  pipelines: { one: 'pipeline', id: 'pipeline', shows: { name: 'Name' } },
  pipeline_stages: { one: 'stage', shows: { name: 'Name' } },
  tasks: { one: 'task', id: 'task', shows: { title: 'Title', due_at: 'Due', done_at: 'Done' } },
  contact_files: { one: 'file of a contact', many: 'files of contacts', shows: { name: 'Name' } },
  activities: { one: 'timeline entry', many: 'timeline entries', id: 'activity', shows: { text: 'Text' } },
  note_mentions: { one: 'mention in a note', many: 'mentions in notes', shows: {} },
  contact_fields: { one: 'contact field', id: 'contact_field', shows: { name: 'Name', kind: 'Kind', options: 'Options' } },
  contact_views: { one: 'view of contacts', many: 'views of contacts', id: 'contact_view', shows: { name: 'Name' } },
  contact_merges: { one: 'merge of contacts', many: 'merges of contacts', id: 'contact_merge', shows: {} },
  consents: { one: 'consent', shows: { address: 'Address', state: 'State' } },
  lead_forms: {
    ...{ one: 'lead form', id: 'lead_form' },
    shows: {
      ...{ title: 'Title', active: 'Active', intro: 'Introduction', phone: 'Phone', company: 'Company', questions: 'Questions' },
      ...{ consent_text: 'Consent', double_opt_in: 'Asks for a confirmation', button: 'Button', thanks: 'Thanks' },
    },
  },
  lead_submissions: { one: 'answer to a form', many: 'answers to forms', shows: { name: 'Name', email: 'Email' } },
  bookings: {
    ...{ one: 'appointment', id: 'appointment' },
    shows: {
      ...{ title: 'Title', guest_email: 'Guest', starts_at: 'Starts', ends_at: 'Ends', state: 'State' },
      ...{ place: 'Place', notes: 'Notes', reason: 'Reason' },
    },
  },
  event_types: {
    ...{ one: 'booking page', id: 'event_type' },
    shows: {
      ...{ title: 'Title', slug: 'Address', description: 'Description', minutes: 'Minutes', step_minutes: 'Starts every (minutes)' },
      ...{ before_minutes: 'Free before (minutes)', after_minutes: 'Free after (minutes)', notice_minutes: 'Notice (minutes)' },
      ...{
        days_ahead: 'Days ahead',
        remind_minutes: 'Reminder before (minutes)',
        sms_minutes: 'Text before (minutes)',
        place_kind: 'Place',
        place: 'Where',
      },
      ...{ questions: 'Questions', needs_approval: 'Needs your approval', active: 'Active' },
    },
  },
  schedules: { one: 'schedule' },
  synced_calendars: {
    ...{ one: 'synced calendar', id: 'synced_calendar' },
    shows: { account: 'Account', busy: 'Its events block booking', copies: 'Appointments are written into it' },
  },
  notion_syncs: {
    ...{ one: 'sync with Notion', many: 'syncs with Notion', id: 'notion_sync' },
    shows: { title: 'Database', adds: 'Adds contacts or tasks to it' },
  },
  notion_links: { one: 'row in Notion', many: 'rows in Notion', id: 'notion_link', shows: {} },
  email_campaigns: {
    ...{ one: 'campaign', id: 'campaign' },
    shows: {
      name: 'Name',
      subject: 'Subject',
      status: 'Status',
      recipients: 'Recipients',
      document: 'Content',
      segment: 'Audience',
      ab: 'Second subject',
    },
  },
  email_sequences: { one: 'sequence', id: 'sequence', shows: { name: 'Name', state: 'State' } },
  email_sequence_people: { one: 'place in a sequence', many: 'places in sequences', shows: { state: 'State', next_at: 'Next email' } },
  email_senders: { one: 'sender', id: 'sender', shows: { name: 'Name', email: 'Email' } },
  email_topics: { one: 'topic', id: 'email_topic', shows: { title: 'Title', description: 'Description' } },
  email_topic_leavers: { one: 'reader who left a topic', many: 'readers who left a topic', shows: { email: 'Email' } },
  email_segments: { one: 'segment', id: 'segment', shows: { name: 'Name' } },
  email_recipients: { one: 'recipient', shows: { email: 'Email' } },
}
