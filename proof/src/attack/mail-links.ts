import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import type { Attack, World } from './world.ts'

// S34: the link to the preferences of an email, which is all that its reader has: by another's link, a changed one or one that was made for
// something else nobody's topics are left, the topics of another account are not either, and looking changes nothing.
export const attack: Attack = async (world) => {
  const db = world.platform.db('crm')
  const anonymous = await world.actor('anonymous')
  const findings: string[] = []
  let tried = 0
  const address = `reader-${newId()}@example.com`
  // One address reads two accounts, so that it is the account alone that keeps them apart.
  const [shop, rival] = [await account(world, address, 'Shop'), await account(world, address, 'Rival')]
  const [own, theirs] = [shop.links.preferences!, rival.links.preferences!]

  async function state(userId: string): Promise<string> {
    const read = (table: string, columns: string[]) =>
      db.selectFrom(table).select(columns).where('user_id', '=', userId).orderBy('id').execute()
    return JSON.stringify([
      await read('email_topic_leavers', ['id', 'topic_id', 'email']),
      await read('consents', ['id', 'address', 'state', 'evidence']),
      await read('email_opt_ins', ['id', 'asks', 'confirmed_at']),
      await read('email_recipients', ['id', 'unsubscribed_at']),
    ])
  }
  async function send(what: string, method: string, path: string, body?: Record<string, string>, asForm = true) {
    tried++
    const headers: Record<string, string> = { accept: method === 'GET' ? 'text/html' : 'application/json' }
    if (body && asForm) headers['content-type'] = 'application/x-www-form-urlencoded'
    const sent = body && (asForm ? String(new URLSearchParams(body)) : body)
    const answer = await world.call(anonymous, method, path, sent, headers)
    if (answer.status >= 500) findings.push(`${what}: answered ${answer.status}`)
    return answer
  }
  /** Neither account may be another afterwards than it was. */
  async function changesNothing(what: string, run: () => Promise<{ status: number; text: string }>, secret = '') {
    const before = [await state(shop.id), await state(rival.id)]
    const { status, text } = await run()
    const after = [await state(shop.id), await state(rival.id)]
    if (before[0] !== after[0] || before[1] !== after[1]) findings.push(`${what}: somebody’s choice changed (${status})`)
    if (secret && text.includes(secret)) findings.push(`${what}: told ${text.slice(0, 120)}`)
  }
  const leaving = (topics: string[]) => ({ choice: 'topics', shown: topics.join(',') })
  const all = [...shop.topics, ...rival.topics]
  const choices = [leaving(all), { choice: 'none' }, { choice: 'all' }]

  // Looking, with whatever stands in the address.
  for (const method of ['GET', 'HEAD'])
    for (const choice of choices)
      await changesNothing(`${method} with ${choice.choice}`, () =>
        send(`${method} with ${choice.choice}`, method, `/mail/preferences/${own}?${new URLSearchParams(choice)}`),
      )

  // Links that were changed, or made for something else.
  const [id, mac] = own.split('.') as [string, string]
  const forged: [string, string][] = [
    ['the id of one and the signature of another', `${id}.${theirs.split('.')[1]}`],
    ['no signature', id],
    ['an empty signature', `${id}.`],
    ['a changed signature', `${id}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`],
    ['a shorter signature', `${id}.${mac.slice(0, -1)}`],
    ['another id', `${newId()}.${mac}`],
    ['the id in capitals', `${id.toUpperCase()}.${mac}`],
    ['an id that is SQL', `${encodeURIComponent("x' or '1'='1")}.${mac}`],
    ['the link that unsubscribes', shop.links.unsubscribe!],
    ['the link of the picture', shop.links.open!],
    ['the link that confirms', shop.links.confirm!],
    ['the link of a click', encodeURIComponent(shop.links.click!)],
    ['the id of the account', `${shop.id}.${mac}`],
  ]
  for (const [what, token] of forged) {
    await changesNothing(`${what}, opened`, () => send(what, 'GET', `/mail/preferences/${token}`), address)
    for (const choice of choices)
      for (const asForm of [true, false])
        await changesNothing(`${what}, ${choice.choice}`, () => send(what, 'POST', `/mail/preferences/${token}`, choice, asForm), address)
  }

  // A link that is good, with the topics of another account, of nobody, and none that the page showed.
  const strange: [string, Record<string, string>][] = [
    ['the topics of another account', leaving(rival.topics)],
    ['a topic of nobody', leaving([newId()])],
    ['topics that are words', leaving(['__proto__', "' or true --", '', '*'])],
    ['nothing shown', { choice: 'topics' }],
    ['another address', { ...leaving(rival.topics), email: address, user_id: rival.id, token: theirs }],
    ['an unknown choice', { choice: 'every', shown: all.join(',') }],
  ]
  for (const [what, body] of strange)
    for (const asForm of [true, false])
      await changesNothing(what, () => send(what, 'POST', `/mail/preferences/${own}`, body, asForm), 'Rival')

  // Told all topics there are, the link leaves those of its own account.
  const [before, mine] = [await state(rival.id), await state(shop.id)]
  await send('its own topics', 'POST', `/mail/preferences/${own}`, leaving(all))
  if ((await state(rival.id)) !== before) findings.push('the topics of another account were left beside one’s own')
  if ((await state(shop.id)) === mine) findings.push('a good link left nothing: the attack proves nothing')
  await changesNothing('a topic taken up again', () =>
    send('a topic taken up again', 'POST', `/mail/preferences/${own}`, { ...leaving(shop.topics), [`topic_${shop.topics[0]}`]: 'on' }),
  )
  return { tried, findings }
}

type Account = { id: string; topics: string[]; links: Record<string, string> }
/** A seller with two topics, whose email and whose letter the reader has had: the token of each link in them, by its path. */
async function account(world: World, email: string, of: string): Promise<Account> {
  const seller = await world.fresh('seller')
  const post = async (name: string, body: object) => {
    const { status, text, body: answer } = await world.call(seller, 'POST', `/functions/v1/${name}`, body)
    if (status !== 200) throw new Error(`${name}: ${status} ${text}`)
    return answer
  }
  const db = world.platform.db('crm')
  const period = { period_start: new Date(Date.now() - 3_600_000), period_end: new Date(Date.now() + 86_400_000) }
  const plan = { user_id: seller.id, tier: 'basic', status: 'active', limits: JSON.stringify({ emails: 100 }), version: 1, ...period }
  await sql`delete from entitlements where user_id = ${seller.id}`.execute(db)
  await db.insertInto('entitlements').values(plan).execute()
  const topics: string[] = []
  for (const title of [`Events of ${of}`, `Offers of ${of}`]) topics.push((await post('save-email-topic', { title })).topic_id)
  await post('save-sender', { provider: 'sandbox', name: of, email: `news@${of.toLowerCase()}.example` })
  await post('create-contact', { name: 'Reader', email })
  const { campaign_id } = await post('create-campaign', {
    name: of,
    subject: `News of ${of}`,
    text: 'See [the menu](https://menu.example).',
  })
  await post('send-campaign', { campaign_id })
  await post('ask-opt-in', { email })
  for (let tries = 0; tries < 300; tries++) {
    const { body } = await world.call(await world.actor('anonymous'), 'GET', `/sandbox/api/inbox?to=${encodeURIComponent(email)}`)
    const mine = (body.messages as Record<string, unknown>[]).filter((each) => JSON.stringify(each).includes(of))
    const found = JSON.stringify(mine).matchAll(/\/mail\/(unsubscribe|preferences|open|confirm|click)(?:\/|\?token=)([\w.-]+)/g)
    const links = Object.fromEntries(Array.from(found, ([, path, token]) => [path, token] as [string, string]))
    if (Object.keys(links).length === 5) return { id: seller.id!, topics, links }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`the emails of ${of} did not arrive`)
}
