// The App Library's catalogue. No zod here: the web app ships it. How each app is called stands in the service.

export const appCategories = [
  'Messages and voice',
  'Calendar',
  'CRM',
  'Social media',
  'Ads and analytics',
  'Payments and accounting',
  'Notes, tasks and files',
] as const
export type AppCategory = (typeof appCategories)[number]

/** A field that a person pastes where an app has no sign-in of its own for other programs. */
export type KeyField = { name: string; label: string; hint: string; secret: boolean; options?: readonly string[] }
export type AppEntry = {
  id: string
  name: string
  category: AppCategory
  description: string
  /** Its mark's colour. */
  color: string
  benefits: readonly [string, string, string]
  /** The company whose client id, consent page and tokens it uses. Without one it takes a key. */
  vendor?: string
  key?: readonly KeyField[]
}

const secret = (name: string, label: string, hint: string): KeyField => ({ name, label, hint, secret: true })

const entries = [
  {
    id: 'gmail',
    name: 'Gmail',
    category: 'Messages and voice',
    description: 'Your Google mailbox.',
    color: '#d93025',
    vendor: 'google',
    benefits: ['Send email from your own address', 'Find a message by its words', 'See emails with a contact on their timeline'],
  },
  {
    id: 'outlook',
    name: 'Outlook',
    category: 'Messages and voice',
    description: 'Your Microsoft mailbox.',
    color: '#0f6cbd',
    vendor: 'microsoft',
    benefits: ['Send email from your own address', 'Find a message by its words', 'See emails with a contact on their timeline'],
  },
  {
    id: 'slack',
    name: 'Slack',
    category: 'Messages and voice',
    description: 'Channels and messages of your workspace.',
    color: '#4a154b',
    vendor: 'slack',
    benefits: ['Post a message to a channel', 'List the channels of your workspace', 'Post from the assistant, once you approve'],
  },
  {
    id: 'teams',
    name: 'Microsoft Teams',
    category: 'Messages and voice',
    description: 'Teams, channels and messages.',
    color: '#4b53bc',
    vendor: 'microsoft',
    benefits: ['Post a message to a channel', 'List your teams and channels', 'Post from the assistant, once you approve'],
  },
  {
    id: 'mailersend',
    name: 'MailerSend',
    category: 'Messages and voice',
    description: 'Sends campaigns and letters from your domain.',
    color: '#4f46e5',
    benefits: ['Send from your own domain', 'See which domains are verified', 'Keep campaigns and letters in one account'],
    key: [secret('key', 'API token', 'MailerSend shows it once, under Integrations, API tokens. It begins with “mlsn.”.')],
  },
  {
    id: 'voice',
    name: 'Voice agents',
    category: 'Messages and voice',
    description: 'Vapi or Retell, for agents that make and take calls.',
    color: '#0e7490',
    benefits: ['List your agents', 'Read the calls they made', 'Use the provider you already pay'],
    key: [
      { name: 'provider', label: 'Provider', hint: 'Whose key it is.', secret: false, options: ['vapi', 'retell'] },
      secret('key', 'Private API key', 'In the provider’s dashboard, under API keys. Not the public key.'),
    ],
  },
  {
    id: 'google-calendar',
    name: 'Google Calendar',
    category: 'Calendar',
    description: 'Events and free time of your Google calendars.',
    color: '#1a73e8',
    vendor: 'google',
    benefits: ['Add an event', 'See when you are free', 'List what comes next'],
  },
  {
    id: 'outlook-calendar',
    name: 'Outlook Calendar',
    category: 'Calendar',
    description: 'Events and free time of your Microsoft calendar.',
    color: '#0078d4',
    vendor: 'microsoft',
    benefits: ['Add an event', 'See when you are free', 'List what comes next'],
  },
  {
    id: 'calendly',
    name: 'Calendly',
    category: 'Calendar',
    description: 'Booking pages and the meetings booked on them.',
    color: '#006bff',
    vendor: 'calendly',
    benefits: ['List your booking pages', 'See the meetings that were booked', 'Share a link for a single use'],
  },
  {
    id: 'hubspot',
    name: 'HubSpot',
    category: 'CRM',
    description: 'Contacts and deals.',
    color: '#ff5c35',
    vendor: 'hubspot',
    benefits: ['Find a contact', 'Add a contact', 'List open deals'],
  },
  {
    id: 'zoho-crm',
    name: 'Zoho CRM',
    category: 'CRM',
    description: 'Contacts and deals.',
    color: '#e42527',
    vendor: 'zoho',
    benefits: ['Find a contact', 'Add a contact', 'List deals'],
  },
  {
    id: 'salesforce',
    name: 'Salesforce',
    category: 'CRM',
    description: 'Contacts and opportunities.',
    color: '#00a1e0',
    vendor: 'salesforce',
    benefits: ['Find a contact', 'Add a contact', 'List opportunities'],
  },
  {
    id: 'instagram',
    name: 'Instagram',
    category: 'Social media',
    description: 'Posts of your business account.',
    color: '#c13584',
    vendor: 'meta',
    benefits: ['List your accounts', 'List your recent posts', 'See likes and comments'],
  },
  {
    id: 'facebook',
    name: 'Facebook',
    category: 'Social media',
    description: 'Posts of your page.',
    color: '#0866ff',
    vendor: 'meta',
    benefits: ['List your pages', 'Publish a post', 'Read recent posts'],
  },
  {
    id: 'linkedin',
    name: 'LinkedIn',
    category: 'Social media',
    description: 'Posts in your name.',
    color: '#0a66c2',
    vendor: 'linkedin',
    benefits: ['Publish a post', 'Read your profile', 'Share what you wrote here'],
  },
  {
    id: 'twitter',
    name: 'Twitter',
    category: 'Social media',
    description: 'Posts on X in your name.',
    color: '#14171a',
    vendor: 'twitter',
    benefits: ['Publish a post', 'Read your recent posts', 'Share what you wrote here'],
  },
  {
    id: 'google-analytics',
    name: 'Google Analytics',
    category: 'Ads and analytics',
    description: 'Visitors and events of your site.',
    color: '#e37400',
    vendor: 'google',
    benefits: ['List your properties', 'Read visitors by day', 'Ask the assistant about a week'],
  },
  {
    id: 'google-ads',
    name: 'Google Ads',
    category: 'Ads and analytics',
    description: 'Accounts and campaigns.',
    color: '#4285f4',
    vendor: 'google',
    benefits: ['List your accounts', 'Read campaigns and their cost', 'See clicks and conversions'],
  },
  {
    id: 'meta-ads',
    name: 'Meta Ads',
    category: 'Ads and analytics',
    description: 'Ad accounts, campaigns and their results.',
    color: '#0064e0',
    vendor: 'meta',
    benefits: ['List your ad accounts', 'Read campaigns and their results', 'Pause a campaign'],
  },
  {
    id: 'stripe',
    name: 'Stripe',
    category: 'Payments and accounting',
    description: 'Payments and customers of your own Stripe account.',
    color: '#635bff',
    benefits: ['List payments', 'Find a customer', 'Add a customer'],
    key: [secret('key', 'Restricted key', 'In Stripe, Developers, API keys. It begins with “rk_”.')],
  },
  {
    id: 'paypal',
    name: 'PayPal',
    category: 'Payments and accounting',
    description: 'Transactions and invoices of your PayPal account.',
    color: '#003087',
    benefits: ['List transactions', 'Draft an invoice', 'List invoices'],
    key: [
      { name: 'client_id', label: 'Client id', hint: 'Of an app in PayPal’s developer dashboard.', secret: false },
      secret('key', 'Client secret', 'Beside the client id.'),
    ],
  },
  {
    id: 'quickbooks',
    name: 'QuickBooks',
    category: 'Payments and accounting',
    description: 'Customers and invoices of your books.',
    color: '#2ca01c',
    vendor: 'quickbooks',
    benefits: ['List invoices', 'Find a customer', 'Add a customer'],
  },
  {
    id: 'notion',
    name: 'Notion',
    category: 'Notes, tasks and files',
    description: 'Pages and databases of your workspace.',
    color: '#191919',
    vendor: 'notion',
    benefits: ['Find a page', 'List your databases', 'Add a page to a database'],
  },
  {
    id: 'trello',
    name: 'Trello',
    category: 'Notes, tasks and files',
    description: 'Boards and cards.',
    color: '#0052cc',
    benefits: ['List your boards', 'Read the cards of a list', 'Add a card'],
    key: [
      { name: 'api_key', label: 'API key', hint: 'Of a Power-Up in Trello’s admin page.', secret: false },
      secret('key', 'Token', 'The link “Token” beside the API key makes one.'),
    ],
  },
  {
    id: 'asana',
    name: 'Asana',
    category: 'Notes, tasks and files',
    description: 'Projects and tasks.',
    color: '#f06a6a',
    vendor: 'asana',
    benefits: ['List your projects', 'Read the tasks of a project', 'Add a task'],
  },
  {
    id: 'google-drive',
    name: 'Google Drive',
    category: 'Notes, tasks and files',
    description: 'Files and folders.',
    color: '#188038',
    vendor: 'google',
    benefits: ['Find a file', 'List recent files', 'Make a folder'],
  },
] as const satisfies readonly AppEntry[]

export type AppId = (typeof entries)[number]['id']
export type App = AppEntry & { id: AppId }
export const apps: readonly App[] = entries
export const appIds = apps.map(({ id }) => id) as [AppId, ...AppId[]]
export const appOf = (id: string): App | undefined => apps.find((app) => app.id === id)
