import { once } from 'node:events'
import type { Actor, Answer, Attack, World } from './world.ts'

// S33: chains, each step of which is allowed: a key that hands itself on, a session that has ended at every door, one's own referral, names that
// become properties, metadata in slices, requests larger than anybody reads.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const expectThat = (holds: boolean, finding: string) => {
    tried++
    if (!holds) findings.push(finding)
  }
  const fn = (actor: Actor, name: string, body: unknown = {}) =>
    world.call(actor, 'POST', `/functions/v1/${name}`, body, { 'idempotency-key': `${name}-${world.random()}` })
  for (const chain of [keyHandsItselfOn, endedSession, ownReferral, properties, metadataInSlices, tooLarge]) await chain()
  return { tried, findings }

  /** A leaked key of every scope makes no key, no session, no endpoint's secret, approves nothing and ends nothing. */
  async function keyHandsItselfOn() {
    const owner = await world.fresh('seller')
    const made = await fn(owner, 'ai-key-create', { name: 'leaked', scopes: ['all', 'chat', 'models'] })
    if (!made.body?.key) return void findings.push(`no key could be made: ${made.status} ${made.text}`)
    const thief: Actor = { ...owner, token: made.body.key }
    const doors: [string, string, unknown][] = [
      ['POST', '/functions/v1/ai-key-create', { name: 'mine', scopes: ['all'] }],
      ['POST', '/functions/v1/ai-key-revoke', { key_id: made.body.id }],
      ['POST', '/functions/v1/approve-actions', { approval_id: made.body.id }],
      ['POST', '/functions/v1/account-delete', {}],
      ['POST', '/functions/v1/account-export-begin', {}],
      ['POST', '/functions/v1/account-sessions', {}],
      ['POST', '/functions/v1/create-checkout', { plan: 'pro' }],
      ['POST', '/functions/v1/customer-portal', {}],
      ['POST', '/functions/v1/start-payouts', {}],
      ['GET', '/auth/v1/user', undefined],
      ['PUT', '/auth/v1/user', { password: 'Thief-Horse-9-Battery' }],
      ['POST', '/auth/v1/factors', { factor_type: 'totp', friendly_name: 'Mine' }],
      ['GET', '/rest/v1/ai_keys', undefined],
      ['POST', '/auth/v1/passkeys/registration/options', {}],
    ]
    for (const [method, path, body] of doors) {
      const { status } = await world.call(thief, method, path, body)
      expectThat(status === 401 || status === 403, `a key of every scope at ${method} ${path}: ${status}`)
    }
    expectThat((await world.call(owner, 'GET', '/rest/v1/ai_keys')).body?.length === 1, 'a key made another key')
    await fn(owner, 'ai-key-revoke', { key_id: made.body.id })
    for (const path of ['/ai/v1/models', '/mcp'])
      expectThat(
        (await world.call(thief, path === '/mcp' ? 'POST' : 'GET', path, path === '/mcp' ? {} : undefined)).status === 401,
        `a revoked key at ${path}`,
      )
  }

  /** A token outlives its session by minutes; no door believes it. */
  async function endedSession() {
    const owner = await world.fresh('seller')
    const out = await world.call(owner, 'POST', '/auth/v1/logout?scope=global')
    expectThat(out.status === 204, `sign-out: ${out.status}`)
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': '5' }
    const doors: [string, string, unknown, Record<string, string>?][] = [
      ['GET', '/auth/v1/user', undefined],
      ['POST', '/functions/v1/ai-chat', { message: 'hi' }],
      ['GET', '/rest/v1/ai_conversations', undefined],
      ['POST', '/ai/v1/chat/completions', { model: 'gpt-5.4', messages: [{ role: 'user', content: 'hi' }] }],
      ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      ['POST', '/functions/v1/create-checkout', { plan: 'pro' }],
      ['POST', `/auth/v1/oauth/authorizations/${owner.id}/consent`, { action: 'approve' }],
      ...world.operations
        .filter(({ path, method }) => method === 'POST' && path.includes('~uploads'))
        .map(({ path }): [string, string, unknown, Record<string, string>] => ['POST', path, undefined, tus]),
    ]
    for (const [method, path, body, headers] of doors) {
      const { status } = await untilRefused(() => world.call(owner, method, path, body, headers))
      expectThat([401, 403, 404].includes(status), `${method} ${path} after signing out: ${status}`)
    }
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/live`)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'auth', access_token: owner.token }))
    const [heard] = (await Promise.race([once(socket, 'close'), once(socket, 'message')])) as [Event & { code?: number }]
    expectThat(heard.type === 'close' && heard.code === 4401, `/live after signing out: ${heard.type}`)
    socket.close()
  }

  /** One's own code gives no discount, whether it is given at the checkout or was kept from a sign-up. */
  async function ownReferral() {
    const seller = await world.fresh('seller')
    const { body: own } = await fn(seller, 'referral-summary')
    await world.call(seller, 'PUT', '/auth/v1/user', { data: { referral_code: own.code } })
    for (const referral_code of [own.code, own.code.toLowerCase(), ` ${own.code} `]) {
      const { status, body } = await fn(seller, 'create-checkout', { plan: 'pro', referral_code })
      expectThat(status === 200 && body.referral_dropped === 'own', `a checkout by one's own code: ${status} ${JSON.stringify(body)}`)
    }
    const referred = await world.platform
      .db('billing')
      .selectFrom('referrals')
      .selectAll()
      .where('referred_user_id', '=', seller.id!)
      .execute()
    expectThat(referred.length === 0, 'an account is its own referral')
  }

  /** JSON names that are properties of every object change nothing for anybody. */
  async function properties() {
    const seller = await world.fresh('seller')
    for (const name of ['__proto__', 'constructor', 'prototype'])
      for (const [method, path] of [
        ['PUT', '/auth/v1/user'],
        ['POST', '/functions/v1/ai-chat'],
        ['POST', '/functions/v1/ai-key-create'],
        ['POST', '/rest/v1/ai_prompts'],
        ['POST', '/functions/v1/propose-actions'],
      ] as const) {
        const poison = `"${name}": {"polluted": true, "staff": true, "prototype": {"polluted": true}}`
        const body = `{"data": {${poison}}, "message": "hi", "name": "a", "title": "a", "body": "a", "steps": [{"action": "ai-usage", "input": {${poison}}}], ${poison}}`
        const { status } = await world.call(seller, method, path, body)
        expectThat(status < 500, `${method} ${path} with ${name}: ${status}`)
      }
    expectThat(!('polluted' in {}), 'every object has a property that a caller named')
    const { status, body } = await world.call(await world.fresh('buyer'), 'GET', '/auth/v1/user')
    expectThat(status === 200 && !body.app_metadata?.staff, 'an account after it is staff')
  }

  /** 16 kB in all, not in each request, and none of it in the token. */
  async function metadataInSlices() {
    const buyer = await world.fresh('buyer')
    let last: Answer | null = null
    for (let n = 0; n < 6; n++)
      last = await world.call(buyer, 'PUT', '/auth/v1/user', { data: { [`slice_${n}`]: 'x'.repeat(4000), is_staff: true } })
    expectThat(last!.status === 422 || last!.status === 400, `24 kB of metadata in slices: ${last!.status}`)
    const { body } = await world.call({ ...buyer, token: null }, 'POST', '/auth/v1/token?grant_type=password', {
      email: buyer.email,
      password: 'Correct-Horse-9-Battery',
    })
    const claims = Buffer.from(body.access_token.split('.')[1], 'base64url').toString()
    expectThat(!claims.includes('slice_0') && !claims.includes('is_staff'), 'a token carries whatever its owner wrote')
  }

  /** Refused in words, and the next caller is served. */
  async function tooLarge() {
    const seller = await world.actor('seller')
    for (const [what, headers, body, wanted] of [
      ['a header of 100 kB', { 'x-large': 'x'.repeat(100_000) }, {}, [431]],
      ['a body of 30 MB', {}, `{"message": "${'x'.repeat(30_000_000)}"}`, [413]],
      [
        'a hundred thousand fields',
        {},
        `{${Array.from({ length: 100_000 }, (_, n) => `"f${n}":1`).join(',')},"message":"hi"}`,
        // 402 where the attacks before this one used up the seller's plan.
        [200, 400, 402, 413],
      ],
    ] as const) {
      // A server that closes while it is still being written to may be heard as a broken connection.
      const status = await world.call(seller, 'POST', '/functions/v1/ai-chat', body, headers).then(
        (answer) => answer.status,
        () => 0,
      )
      expectThat(status === 0 || (wanted as readonly number[]).includes(status), `${what}: ${status}`)
      expectThat((await world.call(seller, 'GET', '/auth/v1/user')).status === 200, `after ${what} nobody is served`)
    }
  }
}

/** Sessions that ended are heard of as a broadcast. */
async function untilRefused(call: () => ReturnType<World['call']>): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await call()
    if (answer.status >= 400 || tries === 20) return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
