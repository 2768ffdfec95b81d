import { chmodSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { demoUseOf } from '@operon/contracts/contract'
import { errors } from '@operon/contracts/messages'
import { endpointsOf, tablesOf } from '@operon/contracts/registry'
import { serviceNames } from '@operon/contracts/services'
import { scratchFolder } from '@operon/deploy/machine'
import { sampleCall } from './document.ts'
import { startPlatform } from './platform.ts'
import type { Attack } from './world.ts'

const dataDir = scratchFolder('demo')
chmodSync(dataDir, 0o755)
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))

const FILLED_WITHIN_MS = 20_000
/** How each table with rows of a demo is read. */
const held = [
  'ai_conversations',
  'ai_messages',
  'ai_comparisons',
  'leads',
  'appointments',
  'email_campaigns',
  'marketplace_items',
  'activity_logs',
  'notifications',
]

// S32: the demo as an operator opens it for real people: it changes nothing on any route, and two visitors never meet.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const expectThat = (holds: boolean, finding: string) => {
    tried++
    if (!holds) findings.push(finding)
  }
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', DEMO_ACCOUNTS: 'on', PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error' }
  const platform = await startPlatform({ env, web: false })
  try {
    const call = async (token: string, method: string, path: string, body?: unknown) => {
      const answer = await fetch(platform.address + path, {
        method,
        redirect: 'manual',
        headers: {
          apikey: 'anon',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, text: await answer.text() }
    }
    const rows = async (token: string, query: string) =>
      JSON.parse((await call(token, 'GET', `/rest/v1/${query}`)).text) as { id: string }[]
    const visit = async () => {
      const { text } = await call('', 'POST', '/functions/v1/demo-sign-in', { portal: 'seller' })
      const token = JSON.parse(text).access_token as string
      const until = performance.now() + FILLED_WITHIN_MS
      const isFilled = async () =>
        (await Promise.all(held.map((table) => rows(token, `${table}?select=id`)))).every((each) => each.length > 0)
      while (!(await isFilled()) && performance.now() < until) await delay(100)
      return token
    }
    const [ann, bob] = [await visit(), await visit()]
    const everything = async (token: string) => JSON.stringify(await Promise.all(held.map((table) => rows(token, `${table}?order=id`))))

    const uses = new Map<string, string>()
    for (const service of [...serviceNames, 'gateway'] as const) {
      for (const endpoint of endpointsOf(service)) uses.set(`${endpoint.method} ${endpoint.path}`, demoUseOf(endpoint, endpoint.method))
      for (const { name, ...table } of tablesOf(service))
        for (const method of ['POST', 'PATCH', 'DELETE', 'PUT']) uses.set(`${method} /rest/v1/${name}`, demoUseOf(table, method))
    }
    const before = await everything(ann)
    for (const operation of world.operations) {
      if (operation.path.startsWith('/sandbox')) continue
      const use = uses.get(`${operation.method} ${operation.path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
      if (use === 'reads') continue
      const { path, body } = sampleCall(operation)
      const { status, text } = await call(ann, operation.method, path, body)
      if (use === undefined && operation.method === 'GET') continue
      // Endpoints for apps' tokens and keys take no session, a demo's as little as any other.
      expectThat(
        operation.resource ? status === 401 : status === 403 && text.includes(errors.demo_reads_only.message),
        `${operation.name} as a demo answered ${status}: ${text.slice(0, 120)}`,
      )
    }
    for (const [path, body] of [
      ['/functions/v1/ai-chat', { message: 'Write me a poem', conversation_id: 'new' }],
      ['/functions/v1/ai-orchestrator', { message: 'Send an email to everybody', conversation_id: 'new' }],
      ['/functions/v1/ai-compare', { prompt: 'Say something', models: ['claude', 'gpt-4o-mini'] }],
    ] as const) {
      const { status, text } = await call(ann, 'POST', path, body)
      expectThat(status === 200 && text.includes('no model answers here'), `${path} of a demo answered ${status}: ${text.slice(0, 120)}`)
    }
    expectThat((await everything(ann)) === before, 'a demo has changed although it only reads')

    for (const table of held)
      for (const { id } of await rows(bob, `${table}?select=id`)) {
        expectThat((await rows(ann, `${table}?id=eq.${id}`)).length === 0, `one visitor reads ${table} of another`)
        expectThat(!(await call('', 'GET', `/rest/v1/${table}?id=eq.${id}`)).text.includes(id), `anybody reads ${table} of a demo`)
      }
  } finally {
    await platform.stop()
  }
  return { tried, findings }
}
