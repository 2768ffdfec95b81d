import { isDestructive, sampleCall } from './document.ts'
import type { Attack } from './world.ts'

const wishes = {
  role: 'service_role',
  aud: 'service',
  is_super_admin: true,
  staff: true,
  app_metadata: { staff: true, role: 'service_role' },
  user_id: '01900000-0000-7000-8000-00000000beef',
  id: '01900000-0000-7000-8000-00000000beef',
  owner: 'me',
  price: 0,
  price_cents: 0,
  amount_cents: -1,
  balance: 1_000_000,
  is_active: true,
  subscribed: true,
  subscription_tier: 'enterprise',
  tier: 'enterprise',
  status: 'active',
  limits: { prompts: null },
  used: 0,
  email_confirmed_at: '2026-01-01T00:00:00Z',
  monthly_prompts: null,
  created_at: '2000-01-01T00:00:00Z',
}

// S3: fields that a caller has no business setting, in every body there is. Nothing of them may be found afterwards.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const me = await world.fresh('seller')
  for (const operation of world.operations) {
    if (!operation.body || operation.access === 'service' || operation.access === 'staff') continue
    if (isDestructive(operation) && !operation.name.startsWith('PUT /auth/v1/user')) continue
    const { path, body } = sampleCall(operation)
    if (typeof body !== 'object' || body === null || Array.isArray(body)) continue
    tried++
    // Fields of the schema stay as they are: all others are wished for.
    const given = { ...wishes, ...(operation.path.endsWith('/user_roles') ? { role: 'seller' } : {}), ...body }
    const { status } = await world.call(
      me,
      operation.method,
      path,
      operation.path === '/auth/v1/user' ? { data: { name: 'Me' }, ...wishes } : given,
    )
    if (status >= 500 && status !== 501 && status !== 502 && status !== 503) findings.push(`${operation.name}: answered ${status}`)
  }
  const signedUp = await world.signUp(`wish-${tried}-${Math.floor(world.random() * 1e9)}@example.com`, wishes)
  for (const [who, token] of [
    ['the caller', me.token],
    ['a new account', signedUp.access_token],
  ] as const) {
    const asked = { ...me, token }
    const { body: user } = await world.call(asked, 'GET', '/auth/v1/user')
    if (user?.app_metadata?.staff || user?.role === 'service_role' || user?.aud !== 'authenticated')
      findings.push(`${who} made themselves more than a user`)
    const { body: subscribed } = await world.call(asked, 'GET', '/rest/v1/subscribers?subscribed=is.true')
    if (!Array.isArray(subscribed) || subscribed.length) findings.push(`${who} subscribed without paying`)
    const { body: usage } = await world.call(asked, 'POST', '/functions/v1/ai-usage', {})
    if (usage?.limit !== 25) findings.push(`${who} has a limit of ${usage?.limit}`)
  }
  const db = world.platform.db('ai-gateway')
  for (const table of ['ai_conversations', 'ai_prompts', 'ai_keys', 'ai_comparisons']) {
    const foreign = await db
      .selectFrom(table)
      .select('id')
      .where((eb: any) => eb.or([eb('user_id', '=', wishes.user_id), eb('id', '=', wishes.id)]))
      .execute()
    if (foreign.length) findings.push(`${table} holds a row of somebody else's making`)
  }
  return { tried, findings }
}
