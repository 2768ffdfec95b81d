import { appCategories, apps } from '@operon/contracts/integrations/apps'
import { appTriggers } from '@operon/contracts/integrations/triggers'
import { definitionOf } from '@operon/integrations/apps/all'
import { type VendorId, vendors } from '@operon/integrations/apps/vendors'

const verbs = { reads: 'reads', changes: 'asks first', sends: 'asks first' } as const

/** The steps that connect each app, for an operator and for a person, from the definitions that the service runs. */
export function appPages(): string {
  return [
    '# Apps',
    '',
    'Written by `npm run generate` from `services/integrations/src/apps`.',
    '',
    'An app with a sign-in needs a client that you register with its vendor once for your installation: set its two settings and restart integrations. `PUBLIC_URL` is the address of your installation. An app with a key needs nothing from you: each person pastes their own.',
    '',
    'A scope that the vendor reviews (Google, Meta, LinkedIn and others review those that read or publish) works for your own test accounts before the review.',
    ...appCategories.flatMap((category) => ['', `## ${category}`, ...apps.filter((app) => app.category === category).flatMap(page)]),
    '',
  ].join('\n')
}

function page({ id, name, description, vendor, key = [] }: (typeof apps)[number]): string[] {
  const { scopes = [], actions, perMinute, operator } = definitionOf(id)
  return [
    '',
    `### ${name}`,
    '',
    description,
    '',
    ...(vendor ? signIn(id, vendors[vendor as VendorId], vendor, scopes) : key.map(({ label, hint }) => `- **${label}**: ${hint}`)),
    ...(operator ? [`- **Also**: \`${operator.setting}\`, which the vendor asks of you with each call.`] : []),
    `- **Limit**: ${perMinute} calls a minute for each connection.`,
    `- **Actions**: ${Object.values(actions)
      .map(({ title, effect }) => `${title} (${verbs[effect]})`)
      .join(', ')}.`,
    `- **Tells**: ${appTriggers
      .filter(({ app }) => app === id)
      .map(({ title, description }) => `${title}: ${description}`)
      .join(' ')}`,
  ]
}

function signIn(id: string, { name, register, revoke }: (typeof vendors)[VendorId], vendor: string, scopes: readonly string[]): string[] {
  const setting = `CONNECT_${vendor.toUpperCase()}_CLIENT_`
  return [
    `- **Create** an OAuth client at <${register}> (${name}).`,
    `- **Redirect**: \`PUBLIC_URL/connect/${id}\``,
    `- **Scopes**: ${scopes.length ? scopes.map((scope) => `\`${scope}\``).join(' ') : 'none; the person chooses at the vendor what to share.'}`,
    `- **Settings**: \`${setting}ID\` and \`${setting}SECRET\`.`,
    `- **Disconnecting** ${revoke ? 'revokes the access at the vendor' : 'deletes what is held here; the vendor has no call that revokes, so the person removes the app in their account there'}.`,
  ]
}
