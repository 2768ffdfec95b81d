import { budgetsOf, modelLimitsOf } from '@operon/contracts/plans'
import { obey } from './model.ts'
import { pay, subscribed } from './people.ts'
import type { Actor, Attack } from './world.ts'

// S27: what models cost us never passes the plan's budget, however it is asked for. The refund of a lowered plan is a test of
// billing's (`subscriptions.test.ts`), which moves the provider's clock.

export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const db = world.platform.db('ai-gateway')
  const fn = (actor: Actor, name: string, body?: unknown) => world.call(actor, 'POST', `/functions/v1/${name}`, body)
  const complete = (actor: Actor, body: object) => world.call(actor, 'POST', '/ai/v1/chat/completions', { model: 'gpt-5.4', ...body })
  const said = (content: unknown) => ({ messages: [{ role: 'user', content }] })
  const counted = async (actor: Actor) => {
    const rows = await db.selectFrom('usage_counters').selectAll().where('user_id', '=', actor.id!).execute()
    const sum = (of: 'cost_used' | 'cost_reserved' | 'reserved') => rows.reduce((all, row) => all + row[of], 0)
    return { used: sum('cost_used'), held: sum('cost_reserved'), running: sum('reserved') }
  }
  /** Nothing runs any more. */
  const spent = async (actor: Actor) => {
    for (let tries = 0; tries < 300; tries++) {
      const { used, held, running } = await counted(actor)
      if (!held && !running) return used
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    findings.push(`what ${actor.kind} held is held still`)
    return (await counted(actor)).used
  }
  const within = async (what: string, actor: Actor, budget: number) => {
    tried++
    const used = await spent(actor)
    if (used > budget) findings.push(`${what}: ${used} of ${budget} microusd were spent`)
    return used
  }
  const free = budgetsOf('none')['ai-gateway']!

  // An account without an email.
  const { body: signedUp } = await world.call(await world.actor('anonymous'), 'POST', '/auth/v1/signup', {})
  if (signedUp?.access_token) {
    const nobody: Actor = { kind: 'anonymous', id: signedUp.user.id, email: '', token: signedUp.access_token }
    const heard = world.model.heard.length
    for (const [name, body] of [
      ['ai-chat', { message: 'hi' }],
      ['ai-chat', { message: 'hi', conversation_id: 'new', stream: true }],
      ['ai-orchestrator', { message: 'hi', task_type: 'general' }],
      ['ai-compare', { prompt: 'hi', models: ['gpt-5.4', 'claude'] }],
      ['generate-ads', { details: 'Candles' }],
      ['ai-key-create', { name: 'Mine' }],
      ['start-images', { prompt: 'A red bicycle', count: 4 }],
      ['generate-image', { prompt: 'A red bicycle' }],
      ['text-to-voice', { text: 'Good morning' }],
    ] as const) {
      tried++
      const { status, text } = await fn(nobody, name, body)
      if (status !== 403) findings.push(`${name} without an email: ${status} ${text.slice(0, 100)}`)
    }
    tried++
    if ((await complete(nobody, said('hi'))).status !== 403) findings.push('/ai/v1 without an email')
    if (world.model.heard.length > heard) findings.push('a model was asked for an account without an email')
  }

  // Everything at once, as long as it may be, by the dearest model, until no more is given.
  const crowd = await world.fresh('seller')
  const { inputCharacters, outputTokens } = modelLimitsOf('none')
  const long = '字'.repeat(inputCharacters - 400)
  const answers = await Promise.all(
    Array.from({ length: world.short ? 30 : 120 }, (_, n) =>
      n % 3 === 0
        ? fn(crowd, 'ai-compare', { prompt: long, models: ['gpt-5.4', 'claude'] })
        : complete(crowd, { ...said(n % 3 === 1 ? long : 'hi'), max_tokens: 1_000_000 }),
    ),
  )
  tried += answers.length
  for (const { status, text } of answers)
    if (![200, 402, 429, 413].includes(status)) findings.push(`a crowd: ${status} ${text.slice(0, 120)}`)
  await within('a crowd at the last cent', crowd, free)

  // Longer than the plan takes.
  tried++
  const tooLong = await complete(crowd, said('x'.repeat(inputCharacters + 1)))
  if (tooLong.status < 400) findings.push(`a question of ${inputCharacters + 1} characters: ${tooLong.status}`)

  // Each parameter that a plan does not name, one at a time: none reaches a provider.
  const sly = await world.fresh('seller')
  const before = world.model.heard.length
  for (const more of [
    { n: 100 },
    { best_of: 20 },
    { service_tier: 'priority' },
    { web_search_options: { search_context_size: 'high' } },
    { reasoning: { effort: 'high' } },
    { prediction: { type: 'content', content: 'x'.repeat(10_000) } },
    { audio: { voice: 'alloy', format: 'wav' } },
    { modalities: ['audio'] },
    { store: true },
    { metadata: { a: 'b' } },
    { extra_body: { thinking: { budget_tokens: 1e6 } } },
    { thinking: { type: 'enabled', budget_tokens: 1e6 } },
    { max_tokens: -1 },
    { max_tokens: '100000' },
    { max_completion_tokens: 0.5 },
    { constructor: 1 },
    { tools: [{ type: 'web_search' }] },
    { tools: [{ type: 'code_interpreter', container: {} }] },
    said([{ type: 'image_url', image_url: { url: 'https://example.com/large.png', detail: 'high' } }]),
    said([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }]),
    said([{ type: 'file', file: { file_id: 'file-1' } }]),
    { messages: [{ role: 'user', content: 'hi', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
  ]) {
    tried++
    const { status, body, text } = await complete(sly, { ...said('hi'), ...more })
    if (status !== 400 || !body?.error?.param) findings.push(`${JSON.stringify(more).slice(0, 60)}: ${status} ${text.slice(0, 100)}`)
  }
  const asked = world.model.heard.slice(before).map((text) => JSON.parse(text) as Record<string, unknown>)
  tried += asked.length
  if (asked.some((body) => !((body.max_completion_tokens as number) <= outputTokens)))
    findings.push('an answer without a bound was asked for')

  // Gone at the first byte, in a loop: each call that a provider heard is in the books.
  const gone = await world.fresh('seller')
  const mark = `gone-${gone.id}`
  for (let n = 0; n < (world.short ? 10 : 40); n++) {
    const stop = new AbortController()
    const answer = await fetch(`${world.url}/ai/v1/chat/completions`, {
      method: 'POST',
      signal: stop.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gone.token}` },
      body: JSON.stringify({ model: 'gpt-5.4', stream: true, user: mark, ...said(`${obey({ content: 'word '.repeat(50) })} ${n}`) }),
    })
    await answer.body?.getReader().read()
    stop.abort()
    tried++
  }
  await within('gone at the first byte', gone, free)
  const calls = world.model.heard.filter((text) => text.includes(mark)).length
  const { length: booked } = await db
    .selectFrom('ai_usage' as never)
    .select('id' as never)
    .where('user_id' as never, '=', gone.id as never)
    .execute()
  if (calls !== booked) findings.push(`${calls} calls reached the provider and ${booked} are in the books`)

  // A trial that is switched up and down has one budget and one period.
  const trier = await world.fresh('seller')
  const { body: checkout } = await fn(trier, 'create-checkout', { plan: 'basic' })
  if (checkout?.url) await pay(world, checkout.url, trier.email)
  if (!(await subscribed(world, trier))) findings.push('no trial began')
  const entitled = async () => {
    for (let tries = 0; tries < 100; tries++) {
      const row = await db.selectFrom('entitlements').selectAll().where('user_id', '=', trier.id!).executeTakeFirst()
      if (row?.tier === 'trial') return row
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return null
  }
  const begun = await entitled()
  for (const plan of ['enterprise', 'basic', 'pro', 'enterprise']) {
    tried++
    await fn(trier, 'switch-plan', { plan })
    const now = await entitled()
    if (now?.budget_microusd !== budgetsOf('trial')['ai-gateway'] || Number(now?.period_start) !== Number(begun?.period_start))
      findings.push(`a trial switched to ${plan} has ${now?.budget_microusd} microusd since ${now?.period_start}`)
  }
  return { tried, findings }
}
