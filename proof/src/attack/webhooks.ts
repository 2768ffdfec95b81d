import { createHmac } from 'node:crypto'
import type { Attack, World } from './world.ts'

// S18: the payment provider's webhook is believed by its signature alone, and only while it is young.

export const attack: Attack = async (world) => {
  const findings: string[] = []
  const db = world.platform.db('billing')
  const secret = await webhookSecret(world)
  const nobody = await world.actor('anonymous')
  const now = Math.floor(Date.now() / 1000)
  const body = JSON.stringify({
    id: `evt_attack_${now}`,
    object: 'event',
    type: 'customer.subscription.updated',
    created: now,
    livemode: false,
    data: { object: { id: 'sub_x', object: 'subscription', customer: 'cus_x' } },
  })
  const mac = (at: number | string, text: string, key = secret) => createHmac('sha256', key).update(`${at}.${text}`).digest('hex')
  const sign = (at: number, text = body, key = secret) => `t=${at},v1=${mac(at, text, key)}`
  const send = (text: string | Uint8Array, signature: string | undefined) =>
    world.call(nobody, 'POST', '/webhooks/stripe', text, signature === undefined ? {} : { 'stripe-signature': signature })
  const known = async () => (await db.selectFrom('provider_events').select('id').where('id', 'like', 'evt_attack_%').execute()).length

  const refused: [string, string | Uint8Array, string | undefined][] = [
    ['no signature', body, undefined],
    ['an empty signature', body, ''],
    ['a signature of zeros', body, `t=${now},v1=${'0'.repeat(64)}`],
    ['another secret', body, sign(now, body, 'whsec_guessed')],
    ['an empty secret', body, sign(now, body, '')],
    ['six minutes old', body, sign(now - 360)],
    ['a day old', body, sign(now - 86_400)],
    ['the time changed after signing', body, sign(now - 360).replace(/t=\d+/, `t=${now}`)],
    ['no time', body, `v1=${mac('undefined', body)}`],
    ['a time that is no number', body, `t=abc,v1=${mac('abc', body)}`],
    ['a scheme without a value', body, `t=${now},v1`],
    ['a good signature behind one without a value', body, `${sign(now)},v1`],
    ['nothing but commas', body, ',,,'],
    ['letters of another length', body, `t=${now},v1=${'é'.repeat(64)}`],
    ['only an old scheme', body, `t=${now},v0=${mac(now, body)}`],
    ['a byte added', `${body} `, sign(now)],
    ['another customer', body.replace('cus_x', 'cus_y'), sign(now)],
    ['the body of another signature', '{}', sign(now)],
    ['no body', new Uint8Array(0), sign(now)],
    ['bytes that are no text', Uint8Array.from({ length: 400 }, (_, i) => i % 256), sign(now)],
  ]
  for (const [what, text, signature] of refused) {
    const { status } = await send(text, signature)
    if (status !== 400 && status !== 415) findings.push(`${what}: ${status}`)
  }
  if (await known()) findings.push('a refused event was kept')

  const genuine = sign(now)
  const first = await send(body, genuine)
  if (first.status !== 200) findings.push(`a good signature: ${first.status} ${first.text}`)
  const replays = await Promise.all(Array.from({ length: 20 }, () => send(body, genuine)))
  for (const { status, body: answer } of replays)
    if (status !== 200 || answer?.duplicate !== true) findings.push(`a replay: ${status} duplicate=${answer?.duplicate}`)
  if ((await known()) !== 1) findings.push('a replay was kept again')
  return { tried: refused.length + 1 + replays.length, findings }
}

/** The attacker does not have it; it is read here to tell a good signature from an almost good one. */
async function webhookSecret({ platform }: World): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const row = await platform
      .db('billing')
      .selectFrom('provider_settings')
      .select('value')
      .where('key', '=', 'webhook:sandbox')
      .executeTakeFirst()
    if (row) return platform.vault.open((row.value as { secret: string }).secret, 'webhook:sandbox')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('billing has registered no webhook')
}
