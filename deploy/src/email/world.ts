import { subscriptionChanged } from '@operon/contracts/billing/events'
import { limitsOf, type Tier } from '@operon/contracts/plans'
import { crmService } from '@operon/crm/service'
import { integrationsService } from '@operon/integrations/service'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'

export type Mail = {
  subject: string
  from: string
  from_name: string
  to: string[]
  text: string
  html: string
  links: string[]
  headers: Record<string, string>
  message_id: string
}

/** A platform with the sandbox beside it, and what tests of campaigns do in it. */
export async function emailWorld(env: Record<string, string> = {}) {
  const platform: TestPlatform = await startTestPlatform([crmService, integrationsService, sandboxService], {
    LIMIT_CAMPAIGN_ACCOUNT_PERCENT: '100000',
    LIMIT_CAMPAIGN_PLATFORM_PER_HOUR: '1000000',
    ...env,
  })
  const db = platform.services.crm!.rt.db as any

  async function call(name: string, user: TestUser, body: object = {}, service = 'crm') {
    const headers = { ...user.headers, 'content-type': 'application/json' }
    const response = await fetch(`${platform.url(service)}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as any }
  }
  async function subscriber(tier: Tier = 'basic'): Promise<TestUser> {
    const user = platform.user()
    const start = new Date(Date.now() - 86_400_000)
    await db
      .insertInto('entitlements')
      .values({
        ...{ user_id: user.id, tier, status: 'active', limits: JSON.stringify(limitsOf(tier)), version: 1 },
        ...{ period_start: start, period_end: new Date(start.getTime() + 30 * 86_400_000) },
      })
      .execute()
    return user
  }
  /** Sends through the sandbox's inbox. */
  async function seller(tier: Tier = 'basic'): Promise<TestUser> {
    const user = await subscriber(tier)
    const { body } = await call('save-sender', user, { provider: 'sandbox', name: 'Harbour Café', email: 'news@harbour.example' })
    if (!body.sender_id) throw new Error(JSON.stringify(body))
    return user
  }
  async function contacts(user: TestUser, count: number, more: object = {}): Promise<string[]> {
    const made: string[] = []
    for (let n = 0; n < count; n++) {
      const email = `c${n}-${user.id.slice(-6)}@example.com`
      await call('create-contact', user, { name: `Contact ${n}`, email, ...more })
      made.push(email)
    }
    return made
  }
  const draft = async (user: TestUser, more: object = {}): Promise<string> =>
    (
      await call('create-campaign', user, {
        name: 'Spring news',
        subject: 'Hello {{ first_name }}',
        text: 'See [the menu](https://menu.example/spring).',
        ...more,
      })
    ).body.campaign_id
  const mails = async (to: string): Promise<Mail[]> =>
    ((await (await fetch(`${platform.url('sandbox')}/sandbox/api/inbox?to=${encodeURIComponent(to)}`)).json()) as any).messages
  const campaign = (id: string) => db.selectFrom('email_campaigns').selectAll().where('id', '=', id).executeTakeFirst()
  const recipients = (id: string) => db.selectFrom('email_recipients').selectAll().where('campaign_id', '=', id).orderBy('email').execute()
  return { platform, db, call, subscriber, seller, contacts, draft, mails, campaign, recipients, subscriptionChanged }
}
