import type { Person } from './people.ts'
import type { World } from './world.ts'

/** The payment stand-in itself, as its own dashboard would ask it: past everything that is under test. */
export async function provider(world: World, method: 'GET' | 'POST', path: string, form: Record<string, string> = {}): Promise<any> {
  const { body } = await world.call('GET', '/sandbox/api/addresses')
  const query = method === 'GET' && Object.keys(form).length ? `?${new URLSearchParams(form)}` : ''
  const response = await fetch(`${body.stripe}${path}${query}`, {
    method,
    headers: { authorization: 'Bearer sk_test_chaos' },
    ...(method === 'POST' && { body: new URLSearchParams(form) }),
    signal: AbortSignal.timeout(10_000),
  })
  const answer = (await response.json()) as any
  if (!response.ok) throw new Error(`the provider answered ${response.status}: ${JSON.stringify(answer)}`)
  return answer
}

/** Each person's subscription as billing has it, beside what the provider says now: the same, and one of it. */
export async function notSubscribedRight(world: World, people: Person[]): Promise<string[]> {
  const rows = await world.query(
    'billing',
    `select s.user_id, s.status, s.plan, s.stripe_subscription_id, a.stripe_customer_id from subscriptions s join accounts a using (user_id) where user_id = any($1::uuid[])`,
    [people.map(({ id }) => id)],
  )
  const wrong: string[] = []
  for (const row of rows) {
    if (!row.stripe_customer_id) continue
    const { data } = await provider(world, 'GET', '/v1/subscriptions', { customer: row.stripe_customer_id, status: 'all' })
    const live = data.filter(({ status }: { status: string }) => ['trialing', 'active', 'past_due', 'unpaid'].includes(status))
    if (live.length > 1) wrong.push(`${row.user_id} has ${live.length} subscriptions at the provider`)
    if (live.length === 1 && (live[0].status !== row.status || live[0].id !== row.stripe_subscription_id))
      wrong.push(`${row.user_id} is ${row.status} here and ${live[0].status} at the provider`)
    if (live.length === 0 && ['trialing', 'active', 'past_due'].includes(row.status))
      wrong.push(`${row.user_id} is ${row.status} here and nothing at the provider`)
  }
  return wrong
}
