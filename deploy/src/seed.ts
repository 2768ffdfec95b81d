import { setTimeout as delay } from 'node:timers/promises'
import { limitsOf } from '@operon/contracts/plans'

type Answer = Record<string, any>

/** Gives the demo seller a plan and a first answer, once, through the same doors that a person uses. Only where payments are a stand-in. */
export async function seedDemo(address: string): Promise<void> {
  const call = async (path: string, body: object, token?: string): Promise<Answer> => {
    const response = await fetch(address + path, {
      method: 'POST',
      headers: { apikey: 'anon', 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${(await response.text()).slice(0, 200)}`)
    return (await response.json()) as Answer
  }
  const info = await call('/functions/v1/platform-info', {})
  if (!info.demo_accounts || !info.sandboxed.includes('stripe')) return
  const { access_token: token } = await call('/functions/v1/demo-sign-in', { portal: 'seller' })
  if ((await call('/functions/v1/check-subscription', {}, token)).subscribed) return
  const { url } = await call('/functions/v1/create-checkout', { plan: 'pro' }, token)
  const session = new URL(url).pathname.split('/').at(-1)
  await call(`/sandbox/api/stripe/checkout/${session}/complete`, { card: '4242424242424242' })
  // Until the plan has reached those who count, an answer counts against the free month.
  const free = limitsOf('none').prompts
  for (let tries = 0; tries < 100 && (await call('/functions/v1/ai-usage', {}, token)).limit === free; tries++) await delay(100)
  await call('/functions/v1/ai-chat', { message: 'Three ideas for the spring offer', conversation_id: 'new' }, token)
}
