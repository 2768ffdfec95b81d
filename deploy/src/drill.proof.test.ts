import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { testDatabase } from '@operon/kit/testing/database'
import { VERSION } from '@operon/kit/version'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { alerts } from './alerts.ts'
import { type AllInOne, startAllInOne } from './all-in-one.ts'
import { panels } from './dashboard.ts'
import { scratchFolder } from './machine.ts'

// A customer calls with a request id and nothing else.

const root = resolve(import.meta.dirname, '../..')
const dataDir = scratchFolder('drill')
const names = ['identity', 'billing', 'ai-gateway', 'sandbox'] as const
const METRICS_TOKEN = 'scrape-token-of-the-drill'
const lines: Record<string, any>[] = []
type Span = { name: string; traceId: string; parentSpanId?: string; resource: Record<string, string>; attributes: Record<string, unknown> }
const spans: Span[] = []
const valuesOf = (attributes: { key: string; value: Record<string, unknown> }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])) as Record<string, any>
const databases: { drop(): Promise<void> }[] = []

const collector: Server = createServer(async (request, response) => {
  const { resourceSpans } = JSON.parse((await request.toArray()).join(''))
  for (const { resource, scopeSpans } of resourceSpans)
    for (const span of scopeSpans.flatMap((scope: { spans: any[] }) => scope.spans))
      spans.push({ ...span, resource: valuesOf(resource.attributes), attributes: valuesOf(span.attributes ?? []) })
  response.setHeader('content-type', 'application/json').end('{}')
})
await new Promise<void>((ready) => collector.listen(0, '127.0.0.1', ready))
const urls: Record<string, string> = {}
for (const name of names) {
  const database = await testDatabase({ name: `drill-${name}`, migrations: {} })
  databases.push(database)
  urls[`DATABASE_URL_${name.toUpperCase().replaceAll('-', '_')}`] = database.url
}
const platform: AllInOne = await startAllInOne({
  env: {
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    ACCESS_LOG: 'on',
    METRICS_TOKEN,
    MEASURE_EVERY_MS: '500',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: urls.DATABASE_URL_IDENTITY,
    AUTH_AUTOCONFIRM: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...urls,
  },
  services: names,
  web: false,
  log: (line) => lines.push(JSON.parse(line)),
})
afterAll(async () => {
  await platform?.stop()
  collector?.close()
  await Promise.all(databases.map((database) => database.drop()))
  rmSync(dataDir, { recursive: true, force: true })
})

const post = async (path: string, body: unknown, token = 'anon') => {
  const headers = { apikey: 'anon', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(platform.address + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, requestId: answer.headers.get('x-request-id')!, body: (await answer.json()) as any }
}
const scrape = (token = METRICS_TOKEN) => fetch(`${platform.address}/metrics`, { headers: { authorization: `Bearer ${token}` } })

test('when a provider refuses its key, the request id of a customer leads to the reason in logs, metrics and traces', async () => {
  const { body: session } = await post('/auth/v1/signup', {
    email: 'drill@example.com',
    password: 'Tr1cky-horse-battery',
    data: { name: 'Ann' },
  })
  const question = { prompt: 'Write a line about bread', model: 'gpt-4o-mini' }
  expect((await post('/functions/v1/ai-chat', question, session.access_token)).status).toBe(200)
  for (const provider of ['openai', 'anthropic', 'google', 'perplexity'])
    await post('/sandbox/faults', { provider, kind: 'status', status: 401, times: 0 })
  const { status, requestId, body } = await post('/functions/v1/ai-chat', question, session.access_token)
  expect([status, body.request_id]).toEqual([503, requestId])

  // Logs: whose it was, what failed, why.
  const told = lines.filter((line) => line.requestId === requestId)
  expect(told).toContainEqual(
    expect.objectContaining({ errorCode: 'provider_key_refused', provider: 'openai', tenant: session.user.id, service: 'ai-gateway' }),
  )
  const answered = expect.objectContaining({ errorCode: 'model_unavailable', provider: 'openai', status: 503 })
  expect(told).toContainEqual(answered)
  const access = told.find(({ msg }) => msg === 'answered')!
  expect(access).toMatchObject({ service: 'gateway', route: '/functions/v1/ai-chat', status: 503, tenant: session.user.id })

  // Metrics: whether others have it too.
  const text = await (await scrape()).text()
  expect(text).toMatch(/operon_provider_requests_total\{service="ai-gateway",provider="openai",outcome="key_refused"\} [1-9]/)

  // Traces: from the request down to the call that was refused.
  const ofRequest = () => spans.filter(({ attributes }) => attributes['operon.request_id'] === requestId)
  await expect
    .poll(
      () =>
        ofRequest()
          .map(({ resource }) => resource['service.name'])
          .sort(),
      { timeout: 20_000 },
    )
    .toEqual(['ai-gateway', 'gateway'])
  const [{ traceId }] = ofRequest() as [Span]
  expect(told.find(({ errorCode }) => errorCode === 'provider_key_refused')!.trace).toBe(access.trace)
  expect(access.trace).toBe(traceId)
  const refused = () => spans.filter((span) => span.traceId === traceId && Number(span.attributes['http.response.status_code']) === 401)
  await expect.poll(() => refused().length, { timeout: 20_000 }).toBeGreaterThan(0)
  for (const { resource } of spans)
    expect(resource).toMatchObject({
      'service.name': expect.any(String),
      'service.version': VERSION,
      'service.instance.id': expect.any(String),
    })
}, 120_000)

test('where METRICS_TOKEN is set it alone opens the metrics, also from this machine', async () => {
  expect((await scrape('another-token-of-some-length')).status).toBe(404)
  expect((await fetch(`${platform.address}/metrics`)).status).toBe(404)
})

test('each metric of a rule or of the dashboard is in a real scrape, with its labels', async () => {
  // Each comes with the first work of its kind: a look at what waits, a job, an answer that was settled.
  const firsts = ['operon_oldest_seconds{', 'operon_job_seconds_count{', 'operon_ai_tokens_total{']
  const missing = async () => {
    const text = await (await scrape()).text()
    return firsts.filter((name) => !text.includes(name))
  }
  await expect.poll(missing, { timeout: 40_000, interval: 200 }).toEqual([])
  const text = await (await scrape()).text()
  const labelsOf = new Map<string, Set<string>>()
  for (const [, name, labels = ''] of text.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labelsOf.get(name!) ?? new Set(['instance'])
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!)
    labelsOf.set(name!, known)
  }
  const problems: string[] = []
  for (const expr of [...alerts.map((alert) => alert.expr), ...panels.flatMap(({ queries }) => queries.map((query) => query.expr))]) {
    const asked = [...expr.matchAll(/\b((?:operon|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)]
    expect(asked.length, expr).toBeGreaterThan(0)
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(',').map((name) => name.trim()))
    for (const [, name, matchers = ''] of asked) {
      const wanted = [...grouped, ...[...matchers.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label]) => label!)]
      const known = labelsOf.get(name!)
      if (!known) problems.push(`${name} is in no scrape`)
      else problems.push(...wanted.filter((label) => !known.has(label)).map((label) => `${name} has no label ${label}`))
    }
  }
  expect(problems).toEqual([])
}, 90_000)

test('no metric has a person, a tenant or an address as a label', async () => {
  const text = await (await scrape()).text()
  expect(text).not.toMatch(/drill@|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|https?:\/\//)
})

test('each alert has a runbook, and the rules are as Prometheus reads them', () => {
  const written = parse(readFileSync(join(root, 'deploy/observability/alerts.yml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string; for: string; annotations: { runbook: string } }[] }[]
  }
  const rules = written.groups.flatMap((group) => group.rules)
  expect(rules.map(({ alert }) => alert)).toEqual(alerts.map(({ name }) => name))
  const pages = readFileSync(join(root, 'docs/runbooks.md'), 'utf8')
  for (const { alert, expr, for: lasting, annotations } of rules) {
    const [file, anchor] = annotations.runbook.split('#') as [string, string]
    expect(existsSync(join(root, file))).toBe(true)
    expect(pages.toLowerCase()).toContain(`## ${anchor}\n`)
    expect(pages.split(`## ${alert}\n`)[1]!.split('\n## ')[0]).toMatch(/\n1\. /)
    expect(lasting).toMatch(/^\d+[mh]$/)
    for (const [open, close] of ['()', '[]', '{}']) expect(expr.split(open!).length, expr).toBe(expr.split(close!).length)
  }
})
