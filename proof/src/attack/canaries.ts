import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@operon/contracts/services'
import { sql } from 'kysely'
import type { Attack, World } from './world.ts'

// S19: secrets that nobody else has pass through every flow; afterwards they are looked for in what is kept and told: log lines, traces, error
// answers, every row of every database (events, jobs and what is parked among them) and files. Only what a stand-in received may hold them.
export const attack: Attack = async (world) => {
  const secrets = new Map<string, string>()
  const refused: string[] = []
  await passThroughFlows(world, secrets, refused)
  await quiet(world)
  const findings: string[] = []
  const places: [string, string][] = [
    ['a log line', world.lines.join('\n')],
    ['a trace', world.spans()],
    ['an error answer', refused.join('\n')],
    ['a file', filesOf(world.dataDir)],
    ...(await dump(world)),
  ]
  for (const [what, secret] of secrets)
    for (const [place, text] of places) if (text.includes(secret)) findings.push(`${what} stands in ${place}: ${around(text, secret)}`)
  if (!places.some(([, text]) => text.includes('canary-'))) findings.push('the address of the person is nowhere: the dump is empty')
  if (!world.spans().includes('POST /auth/v1/token')) findings.push('there was no trace to look into')
  return { tried: secrets.size * places.length, findings }
}

async function passThroughFlows(world: World, secrets: Map<string, string>, refused: string[]) {
  const serial = Math.floor(world.random() * 1e12).toString(36)
  const canary = (what: string) => `Canary-${serial}-${what}-9Z`
  const keep = (what: string, value: string | undefined) => {
    if (!value || value.length < 16) throw new Error(`the flow gave no ${what}: ${value}`)
    secrets.set(what, value)
    return value
  }
  const person = await world.actor('anonymous')
  const call: World['call'] = async (...args) => {
    const answer = await world.call(...args)
    if (answer.status >= 400) refused.push(answer.text)
    return answer
  }
  for (const [what, value] of world.secrets) keep(what, value)

  const email = `canary-${serial}@example.com`
  const password = keep('the password', canary('password'))
  const { body: created } = await call(person, 'POST', '/auth/v1/signup', { email, password, data: { name: 'Cora' } })
  keep("the confirmation letter's token", await linkToken(world, email))
  await world.confirm(created.id)
  const { body: first } = await call(person, 'POST', '/auth/v1/token?grant_type=password', { email, password })
  keep('the first access token', first.access_token)
  keep('the first refresh token', first.refresh_token)
  await call(person, 'POST', '/auth/v1/signup', {
    email: 'no address',
    password: keep('a password of a refused sign-up', canary('refused')),
  })
  await call(person, 'POST', '/auth/v1/token?grant_type=password', { email, password: keep('a wrong password', canary('wrong')) })
  const { body: session } = await call(person, 'POST', '/auth/v1/token?grant_type=password', { email, password })
  const { body: refreshed } = await call(person, 'POST', '/auth/v1/token?grant_type=refresh_token', {
    refresh_token: session.refresh_token,
  })
  keep('the refreshed token', refreshed.refresh_token)
  const owner = { kind: 'seller' as const, id: created.id as string, email, token: keep('the access token', refreshed.access_token) }
  await call(owner, 'PUT', '/auth/v1/user', { password: keep('the new password', canary('changed')) })

  await call(person, 'POST', '/auth/v1/recover', { email })
  keep("the recovery mail's token", await linkToken(world, email, /reset/i))
  await call(person, 'POST', '/functions/v1/newsletter-subscribe', { email: `news-${email}` })
  const letter = keep("the newsletter's token", await linkToken(world, `news-${email}`))
  await call(person, 'POST', '/functions/v1/newsletter-confirm', { token: letter })

  const { body: key } = await call(owner, 'POST', '/functions/v1/ai-key-create', { name: 'Shop' })
  keep('the API key', key.key)
  const bearer = { authorization: `Bearer ${key.key}` }
  await call(person, 'POST', '/ai/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }, bearer)
  await call(person, 'POST', '/ai/v1/chat/completions', { model: 'no such model', messages: [] }, bearer)
  const { body: factor } = await call(owner, 'POST', '/auth/v1/factors', { factor_type: 'totp', friendly_name: 'phone' })
  keep('the secret of the second factor', factor.totp?.secret)

  // A stranger's data where it does not belong, and calls that break on the way.
  const stray = keep('a stray credential', canary('stray'))
  const headers = { authorization: `Bearer ${stray}`, apikey: stray, cookie: `session=${stray}`, 'stripe-signature': `t=1,v1=${stray}` }
  for (const path of [
    '/auth/v1/user',
    '/rest/v1/leads?select=*',
    `/rest/v1/leads?token=eq.${stray}`,
    `/auth/v1/verify?type=signup&token=${stray}`,
  ])
    await call(person, 'GET', path, undefined, headers)
  await call(person, 'POST', '/webhooks/stripe', `{"broken": "${stray}"`, headers)
  await call(person, 'POST', '/auth/v1/token?grant_type=refresh_token', { refresh_token: stray })
  await call(person, 'POST', '/functions/v1/newsletter-confirm', { token: stray })
  await call(person, 'POST', '/functions/v1/nothing-here', { password: stray })
}

/** Of the newest letter with such a subject. */
async function linkToken(world: World, to: string, subject = /./): Promise<string | undefined> {
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await world.call(await world.actor('anonymous'), 'GET', `/sandbox/api/inbox?to=${encodeURIComponent(to)}`)
    const letters = (body?.messages ?? []).filter((letter: { subject: string }) => subject.test(letter.subject))
    const found = /[?&](?:token|token_hash)=([\w.-]{16,})/.exec(JSON.stringify(letters).replaceAll('&amp;', '&'))
    if (found) return found[1]
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return undefined
}

/** Until what was published has been carried and heard, and its traces are sent. */
async function quiet(world: World) {
  for (let tries = 0; tries < 100; tries++) {
    const waiting = await Promise.all(
      serviceNames.map(async (name) => {
        const { rows } = await sql<{
          n: number
        }>`select count(*)::int as n from outbox where sent_at is null and available_at <= now()`.execute(world.platform.db(name))
        return rows[0]!.n
      }),
    )
    if (waiting.every((n) => n === 0)) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await world.flushSpans()
}

/** Every row of every table, as text. */
async function dump(world: World): Promise<[string, string][]> {
  const places: [string, string][] = []
  for (const name of serviceNames) {
    const db = world.platform.db(name)
    const { rows: tables } = await sql<{ s: string; t: string }>`
      select table_schema as s, table_name as t from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`.execute(db)
    for (const { s, t } of tables) {
      const { rows } = await sql<{ row: string }>`select to_jsonb(r)::text as row from ${sql.table(`${s}.${t}`)} r`.execute(db)
      places.push([`${name}.${t}`, rows.map(({ row }) => row).join('\n')])
    }
  }
  return places
}

/** The stand-ins keep what they were sent, the key folder is where the keys are, and the database was read by its rows. */
function filesOf(dataDir: string): string {
  const skipped = ['postgres', 'sandbox', 'keys']
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !skipped.includes(
          join(entry.parentPath, entry.name)
            .slice(dataDir.length + 1)
            .split('/')[0]!,
        ),
    )
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

const around = (text: string, secret: string) => {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 80), at).replace(/\s+/g, ' ')
}
