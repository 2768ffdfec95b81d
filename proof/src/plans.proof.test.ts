import type { Endpoint, Table } from '@operon/contracts/contract'
import { endpointsOf, tablesOf } from '@operon/contracts/registry'
import type { ServiceName } from '@operon/contracts/services'
import { loadDefinitions } from '@operon/deploy/services'
import { startTestPlatform, type TestPlatform } from '@operon/kit/testing/service'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { sample } from './attack/document.ts'
import { type Call, growingCalls, variantCalls } from './growth/calls.ts'
import { fillTables, LONG_CONVERSATION } from './growth/fill.ts'
import { idsOfOwner } from './growth/ids.ts'
import { readsOfWebApp, unreadable } from './growth/web-calls.ts'

// Every read that the public door has, on tables as large as a busy platform's: none of them may walk through a table. PLANS_ROWS=100000 takes ten minutes.
const ROWS = Number(process.env.PLANS_ROWS ?? 10_000)
const OWN_ROWS = 200
/** Of an account's rows, at most so many are put in order for a page. */
const SORTED_AT_MOST = 500
const SERVICE_KEY = 'test-service-key-0123456789'

let platform: TestPlatform
let seller: { id: string; token: string }
let staff: typeof seller
let owner: typeof seller
let large: Set<string>
const heard = new Map<string, { database: string; text: string; values: unknown[]; by: string }>()
let by = ''

beforeAll(async () => {
  platform = await startTestPlatform(await loadDefinitions(), {
    AUTH_AUTOCONFIRM: 'true',
    AUTH_STAFF_EMAILS: 'staff@studio.example',
    // The statements of an answer do not depend on how fast its words come.
    SANDBOX_MODEL_PACE_MS: '0',
  })
  seller = await signUp('ann@example.com')
  staff = await signUp('staff@studio.example')
  owner = await signUp('owner@example.com')
  large = await fillTables(Object.values(platform.services), {
    rows: ROWS,
    own: OWN_ROWS,
    userId: seller.id,
    ownerId: owner.id,
    ownerEvery: 3,
  })
  listen()
}, 600_000)
afterAll(() => platform?.close())

test('no read of the data API walks through a table [spec-138]', { timeout: 600_000 }, async () => {
  for (const service of serving()) for (const table of tablesOf(service)) await readTable(service, table)
  expect(await walks()).toEqual([])
})

test('no named function walks through a table, whoever calls it', { timeout: 600_000 }, async () => {
  for (const service of serving())
    for (const endpoint of endpointsOf(service).filter(isTried))
      for (const token of [seller.token, staff.token, SERVICE_KEY]) await callEndpoint(service, endpoint, token)
  expect(await walks()).toEqual([])
})

test('every list of the web app comes in order from an index, for the account that owns a third of all rows', {
  timeout: 600_000,
}, async () => {
  const reads = await readsOfWebApp({ user_id: owner.id, conversation_id: LONG_CONVERSATION })
  const lists = reads.filter(({ query }) => query.includes('order='))
  expect(lists.length).toBeGreaterThan(7)
  expect(await unreadable()).toEqual([])
  const tables = new Map(serving().flatMap((service) => tablesOf(service).map(({ name }) => [name, service] as const)))
  const paged = new Set<string>()
  for (const { table, query: asked } of lists) {
    const query = `${asked.replace(/&limit=\d+/, '')}&limit=20`
    by = `GET ${table}?${query}`
    const read = (path: string) =>
      fetch(`${platform.url(tables.get(table)!)}${path}`, { headers: { authorization: `Bearer ${owner.token}` } })
    const first = await read(`/rest/v1/${table}?${query}`)
    const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1]
    expect([by, first.status, (await read(next ?? `/rest/v1/${table}?${query}`)).status]).toEqual([by, 200, 200])
    if (next) paged.add(table)
  }
  expect(paged.size).toBeGreaterThan(5)
  expect(await walks({ atLeast: paged.size * 2, inOrder: true })).toEqual([])
})

test('no call that is timed as it grows walks through a table, for the account that owns a third of all rows', {
  timeout: 600_000,
}, async () => {
  const ids = await idsOfOwner(platform, owner.id, async (picture_id) => (await share(picture_id)).text())
  for (const call of await growingCalls(serving(), ids)) {
    const { status } = await ask(call)
    if (call.name === 'show-sale' || call.name === 'explain-payout') expect([call.name, status]).toEqual([call.name, 200])
  }
  expect(await walks({ atLeast: 100 })).toEqual([])
})

test('no order, state or filter that a function takes has it walk through a table, on its first page or the next', {
  timeout: 600_000,
}, async () => {
  const ids = await idsOfOwner(platform, owner.id, async (picture_id) => (await share(picture_id)).text())
  const [paged, refused]: [string[], string[]] = [[], []]
  for (const { orBody, ...variant } of variantCalls(serving(), ids)) {
    const asked = await ask(variant)
    const call = asked.status === 400 ? { ...variant, body: orBody } : variant
    const { status, body } = asked.status === 400 ? await ask(call) : asked
    if (status >= 500 || status === 400) refused.push(`${call.name} ${status} ${String(JSON.stringify(body)).slice(0, 200)}`)
    if (!body?.cursor) continue
    paged.push(call.name)
    await ask({ ...call, name: `${call.name}, the next page`, body: { ...(call.body as object), cursor: body.cursor } })
  }
  expect(refused).toEqual([])
  expect(paged.length).toBeGreaterThan(20)
  expect(await walks({ atLeast: 150 })).toEqual([])
})

const share = (picture_id: string) =>
  fetch(`${platform.url('media')}/functions/v1/share-image`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ picture_id }),
  })

async function ask({ name, service, who, method, path, body }: Call): Promise<{ status: number; body: any }> {
  by = name
  const token = { owner: owner.token, staff: staff.token, service: SERVICE_KEY }[who]
  const answer = await fetch(platform.url(service) + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, body: isJson ? await answer.json() : await answer.body?.cancel() }
}

const serving = () => Object.keys(platform.services) as ServiceName[]
// The auth protocol's pages of all accounts' log say how many lines there are, to a service key alone; sweeps look at what is due, which of made-up
// rows is most; the movements of a month of one account are here a third of all, and how they grow is timed; a sitemap holds as many products as
// there are here.
const MAY_WALK =
  /storefront-sitemap: |from "revocations" where "created_at" <|statement-export(, the next page)?: |admin\/audit:? *select count|provider_(now|latest)\(\)|skip locked/
const isTried = ({ path, bytes }: Endpoint) =>
  !bytes && !/sandbox|logout|account-delete|admin\/users|factors|identities|\/auth\/v1\/user$/.test(path)

async function signUp(email: string) {
  const body = JSON.stringify({ email, password: 'Tr1cky-horse-battery', data: { name: 'Ann', accept_terms: true } })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${platform.url('identity')}/auth/v1/signup`, { method: 'POST', headers, body })
  const { access_token: token, user } = (await answer.json()) as { access_token: string; user: { id: string } }
  return { id: user.id, token }
}

/** As pages ask: all of it, the newest, one by its id, a filter and an order by each column, and the number of them. */
async function readTable(service: ServiceName, { name, columns }: Table) {
  const shape = columns.shape as Record<string, z.ZodType>
  const known = Object.keys(shape)
  const queries = ['', 'select=*&limit=20', 'id=eq.01900000-0000-7000-8000-000000000000', `user_id=eq.${seller.id}`]
  for (const column of known) {
    queries.push(
      `order=${column}.desc&limit=5`,
      `${column}=not.is.null&limit=5`,
      `${column}=eq.${encodeURIComponent(madeUp(shape[column]!))}`,
    )
    if (known.includes('user_id')) queries.push(`user_id=eq.${seller.id}&order=${column}.desc.nullslast&limit=20`)
  }
  for (const query of queries)
    for (const prefer of ['count=none', 'count=exact']) {
      by = `GET ${name}?${query}`
      await fetch(`${platform.url(service)}/rest/v1/${name}?${query}`, { headers: { authorization: `Bearer ${seller.token}`, prefer } })
    }
}

function madeUp(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { unrepresentable: 'any' }) as { type?: string; format?: string }
  if (json.format === 'date-time') return new Date().toISOString()
  return String(sample(json))
}

async function callEndpoint(service: ServiceName, { method, path, body, query, params }: Endpoint, token: string) {
  const jsonOf = (schema?: z.ZodType) => (schema ? sample(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })) : undefined)
  const fill = (jsonOf(params) ?? {}) as Record<string, string>
  const url = path.replace(/[:{](\w+)}?/g, (_, name: string) => encodeURIComponent(fill[name] ?? 'x'))
  by = `${method} ${path}`
  await fetch(`${platform.url(service)}${url}?${new URLSearchParams(jsonOf(query) ?? {})}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
    headers: { authorization: `Bearer ${token}`, ...(method !== 'GET' && { 'content-type': 'application/json' }) },
    ...(method !== 'GET' && { body: JSON.stringify(jsonOf(body) ?? {}) }),
  })
    .then((answer) => answer.body?.cancel())
    .catch(() => {})
}

/** Every statement that a client sends from here on. */
function listen() {
  const query = pg.Client.prototype.query as (...args: any[]) => any
  pg.Client.prototype.query = function (this: pg.Client & { database?: string }, ...args: any[]) {
    const [first, second] = args
    const text: unknown = typeof first === 'string' ? first : first?.text
    const values = (Array.isArray(second) ? second : first?.values) ?? []
    if (typeof text === 'string' && /^\s*(select|with|update|delete)\b/i.test(text))
      heard.set(`${this.database} ${text}`, { database: this.database!, text, values, by })
    return query.apply(this, args)
  } as never
}

type Plan = { 'Node Type': string; 'Total Cost': number; 'Plan Rows': number; 'Relation Name'?: string; Plans?: Plan[] }

/** Statements heard since the last time whose plan reads a large table from end to end. */
async function walks({ atLeast = 20, inOrder = false } = {}): Promise<string[]> {
  const statements = [...heard.values()]
  heard.clear()
  expect(statements.length).toBeGreaterThanOrEqual(atLeast)
  const found: string[] = []
  const { DATABASE_URL_IDENTITY } = platform.infra.env
  for (const database of new Set(statements.map((statement) => statement.database))) {
    const url = new URL(DATABASE_URL_IDENTITY!)
    url.pathname = `/${database}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    for (const { text, values, by } of statements.filter((statement) => statement.database === database)) {
      const { rows } = await client.query({ text: `explain (format json) ${text}`, values }).catch((error: Error) => {
        found.push(`${by}: cannot be explained (${error.message}): ${text.replace(/\s+/g, ' ').slice(0, 200)}`)
        return { rows: [] }
      })
      for (const table of rows.flatMap((row) => scanned(row['QUERY PLAN'][0].Plan)))
        if (large.has(`${database}.${table}`) && !MAY_WALK.test(`${by}: ${text}`))
          found.push(`${by}: ${table} in ${text.replace(/\s+/g, ' ').slice(0, 300)}`)
      if (inOrder)
        for (const count of rows.flatMap((row) => sorted(row['QUERY PLAN'][0].Plan)))
          found.push(`${by}: sorts ${count} rows in ${text.replace(/\s+/g, ' ').slice(0, 300)}`)
    }
    await client.end()
  }
  heard.clear()
  return found
}

/** Tables read from end to end. A limit that is met after the first few rows ends a scan before it has begun to cost. */
function scanned(plan: Plan, within = Number.POSITIVE_INFINITY): string[] {
  const cost = plan['Node Type'] === 'Limit' ? plan['Total Cost'] : within
  const walked = plan['Node Type'] === 'Seq Scan' && cost > plan['Total Cost'] / 10
  return [...(walked ? [plan['Relation Name']!] : []), ...(plan.Plans ?? []).flatMap((part) => scanned(part, cost))]
}

/** How many rows are sorted where an index could have had them in order. Rows that an index has nearly in order cost no more than their page. */
function sorted(plan: Plan): number[] {
  const parts = plan.Plans ?? []
  const rows = plan['Node Type'] === 'Sort' ? parts.map((part) => part['Plan Rows']).filter((each) => each > SORTED_AT_MOST) : []
  return [...rows, ...parts.flatMap(sorted)]
}
