import { chmodSync, rmSync } from 'node:fs'
import { scratchFolder } from '@operon/deploy/machine'
import { production, SANDBOX_KEY, SERVICE_KEY, startPlatform } from './platform.ts'
import type { Attack } from './world.ts'

const PASSWORD = 'Correct-Horse-9-Battery'

// S28: messages to whomever a stranger names, from one network and from everywhere: on a platform whose limits are as they ship.
export const attack: Attack = async (world) => {
  const dataDir = scratchFolder('pumping')
  chmodSync(dataDir, 0o755)
  const platform = await startPlatform({
    env: {
      ...production,
      PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      AUTH_ERASING_SERVICES: 'none',
      TRUSTED_PROXIES: 'loopback',
    },
    web: false,
    services: ['identity', 'sandbox'],
  })
  const findings: string[] = []
  let tried = 0
  const post = (path: string, body: object, ip: string, headers: Record<string, string> = {}) => {
    tried++
    return fetch(platform.address + path, {
      method: 'POST',
      headers: { apikey: 'anon', 'content-type': 'application/json', 'x-forwarded-for': ip, ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    })
  }
  const db = platform.db('identity')
  /** Messages sent at once, or promised for later. */
  const sent = async (channel: string) => {
    const slots = await db.selectFrom('message_slots').select('due_at').where('channel', '=', channel).execute()
    return slots.filter(({ due_at }) => due_at <= new Date()).length
  }
  const numbers = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) => `+${prefix}${String(1_000_000 + n * 7919).slice(-7)}`)
  const settled = async () => {
    for (let tries = 0; tries < 100; tries++) {
      const open = await db
        .selectFrom('outbox')
        .select('id')
        .where('kind', '=', 'job')
        .where('sent_at', 'is', null)
        .where('available_at', '<=', new Date())
        .execute()
      if (open.length === 0 && (await platform.waiting('identity')) === 0) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    findings.push('the jobs did not settle')
  }
  async function heard(email: string): Promise<boolean> {
    for (let tries = 0; tries < 100; tries++) {
      const inbox = await fetch(`${platform.address}/sandbox/api/inbox?to=${encodeURIComponent(email)}`, {
        headers: { 'x-sandbox-key': SANDBOX_KEY },
      })
      const { messages } = (await inbox.json()) as { messages: { subject: string }[] }
      if (messages.some(({ subject }) => /password was changed/.test(subject))) return true
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return false
  }
  try {
    const owner = { email: `owner-${Math.floor(world.random() * 1e9)}@example.com`, password: PASSWORD }
    const { id } = (await (await post('/auth/v1/signup', owner, '198.51.100.1')).json()) as { id: string }
    await fetch(`${platform.address}/auth/v1/admin/users/${id}`, {
      method: 'PUT',
      headers: { apikey: 'anon', 'content-type': 'application/json', authorization: `Bearer ${SERVICE_KEY}` },
      body: JSON.stringify({ email_confirm: true }),
    })
    const signedIn = await post('/auth/v1/token?grant_type=password', owner, '198.51.100.1')
    const { access_token } = (await signedIn.json()) as { access_token: string }

    // 121 numbers from one network: what once went out in 20 seconds.
    const one = await Promise.all(numbers(121, '4915').map((phone, n) => post('/auth/v1/otp', { phone }, `203.0.113.${n}`)))
    await settled()
    if ((await sent('sms')) > 30) findings.push(`one network had ${await sent('sms')} text messages sent`)
    if (!one.some(({ status }) => status === 429)) findings.push('one network was never refused')

    // From a network of its own each, to one country and to many.
    const many = world.short ? 200 : 2000
    const codes = ['4915', '4477', '3361', '3462', '1555', '8190', '5511', '6141']
    await Promise.all(
      numbers(many, '').map((last, n) =>
        post('/auth/v1/otp', { phone: `+${codes[n % codes.length]}${last.slice(1)}` }, `10.${n >> 8}.${n & 255}.1`),
      ),
    )
    await settled()
    if ((await sent('sms')) > 250) findings.push(`strangers had ${await sent('sms')} text messages sent at once`)

    // The same by email, to one domain.
    await Promise.all(
      Array.from({ length: many }, (_, n) =>
        post('/auth/v1/recover', { email: `p${n}@flooded.example` }, `10.${100 + (n >> 8)}.${n & 255}.1`),
      ),
    )
    for (let n = 0; n < 40; n++) await post('/auth/v1/otp', { email: 'one@flooded.example' }, `10.200.${n}.1`)
    await settled()
    const toOne = await db.selectFrom('one_time_tokens').select('id').where('relates_to', '=', 'one@flooded.example').execute()
    if (toOne.length > 1) findings.push(`one address got ${toOne.length} tokens within a minute`)

    // The owner is served all the same.
    const changed = await fetch(`${platform.address}/auth/v1/user`, {
      method: 'PUT',
      headers: { apikey: 'anon', 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
      body: JSON.stringify({ password: `${PASSWORD}-2` }),
    })
    if (!changed.ok) findings.push(`the owner's change was answered ${changed.status}`)
    if (!(await heard(owner.email))) findings.push('the owner did not hear of the changed password')
  } finally {
    await platform.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { tried, findings }
}
