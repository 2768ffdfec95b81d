import type { AppId } from './apps.ts'

// The happenings that connected apps can tell. No zod here: the web app ships it. The service says how each is noticed.

/** Where the values of a field are chosen from: an action that reads, and the field that has to be chosen before. */
type Pick = Readonly<Record<string, readonly [action: string, needs?: string]>>
export type AppTriggerEntry = { app: AppId; name: string; title: string; description: string; pick?: Pick }
const one = (app: AppId, name: string, title: string, description: string, pick?: Pick): AppTriggerEntry => ({
  ...{ app, name, title, description },
  ...(pick && { pick }),
})

export const appTriggers: readonly AppTriggerEntry[] = [
  one('gmail', 'new-mail', 'New email in Gmail', 'An email has arrived in the inbox.'),
  one('outlook', 'new-mail', 'New email in Outlook', 'An email has arrived in the inbox.'),
  one('slack', 'new-message', 'New message in Slack', 'Somebody has written in a channel that you choose.', { channel: ['list-channels'] }),
  one('teams', 'new-message', 'New message in Teams', 'Somebody has written in a channel that you choose.', {
    team: ['list-teams'],
    channel: ['list-channels', 'team'],
  }),
  one('mailersend', 'not-delivered', 'Email not delivered by MailerSend', 'An email of a domain has bounced or was reported as spam.', {
    domain: ['list-domains'],
  }),
  one('voice', 'call-ended', 'Voice agent’s call ended', 'A call that one of your agents made or took is over.'),
  one('google-calendar', 'event-changed', 'Event changed in Google Calendar', 'An event was added, moved, changed or cancelled.'),
  one('outlook-calendar', 'event-changed', 'Event changed in Outlook Calendar', 'An event was added, moved or changed.'),
  one('calendly', 'meeting-booked', 'Meeting booked in Calendly', 'Somebody has booked a time.'),
  one('hubspot', 'contact-changed', 'Contact changed in HubSpot', 'A contact was added or changed.'),
  one('zoho-crm', 'contact-changed', 'Contact changed in Zoho CRM', 'A contact was added or changed.'),
  one('salesforce', 'contact-changed', 'Contact changed in Salesforce', 'A contact was added or changed.'),
  one('instagram', 'new-post', 'New post on Instagram', 'An account of yours has published a post.', { account: ['list-accounts'] }),
  one('facebook', 'new-post', 'New post on Facebook', 'A page of yours has published a post.', { page: ['list-pages'] }),
  one('linkedin', 'profile-changed', 'LinkedIn profile changed', 'Your name, email address or picture has changed.'),
  one('twitter', 'new-mention', 'New mention on Twitter', 'Somebody has mentioned you.'),
  one('google-analytics', 'day-counted', 'Day counted in Google Analytics', 'The visitors of another day are in.', {
    property: ['list-properties'],
  }),
  one('google-ads', 'campaign-changed', 'Campaign changed in Google Ads', 'A campaign was added, started, paused or ended.', {
    account: ['list-accounts'],
  }),
  one('meta-ads', 'campaign-changed', 'Campaign changed in Meta Ads', 'A campaign was added, started, paused or ended.', {
    account: ['list-ad-accounts'],
  }),
  one('stripe', 'payment-received', 'Payment received by Stripe', 'A payment has succeeded.'),
  one('paypal', 'payment-received', 'Payment received by PayPal', 'A payment has come in. PayPal lists it up to three hours later.'),
  one('quickbooks', 'invoice-changed', 'Invoice changed in QuickBooks', 'An invoice was written, changed or paid.'),
  one('notion', 'page-changed', 'Page changed in Notion', 'A page that is shared with the connection was added or changed.'),
  one('trello', 'new-card', 'New card in Trello', 'A card was put on a list that you choose.', {
    board: ['list-boards'],
    list: ['list-lists', 'board'],
  }),
  one('asana', 'new-task', 'New task in Asana', 'A task was added to a project that you choose.', { project: ['list-projects'] }),
  one('google-drive', 'file-changed', 'File changed in Google Drive', 'A file was added or changed.'),
]
export const triggerOf = (app: string, name: string): AppTriggerEntry | undefined =>
  appTriggers.find((each) => each.app === app && each.name === name)
