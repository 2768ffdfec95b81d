import { endpointsOf, nameOf } from '@operon/contracts/registry'
import { serviceNames } from '@operon/contracts/services'
import { expect, test } from 'vitest'
import { growingCalls, UNTIMED } from './calls.ts'
import { functionsOfWebApp, readsOfWebApp, unreadable } from './web-calls.ts'

const someone = '01900000-0000-7000-8000-000000000001'
/** Any row will do. */
const aRowOfEach = new Proxy({}, { get: () => someone }) as Record<string, string>

test('each read that a screen makes is timed as it grows, or somebody says why not', async () => {
  const screens = await functionsOfWebApp()
  const calls = await growingCalls([...serviceNames], {
    ownerId: someone,
    rows: aRowOfEach,
    aRow: someone,
    anEndpoint: someone,
    aSale: someone,
    aProduct: someone,
    aShare: someone,
  })
  const timed = new Set(calls.map(({ name }) => name))
  const reads = serviceNames
    .flatMap((service) => endpointsOf(service))
    .filter(({ path, rate }) => path.startsWith('/functions/') && rate === 'read' && screens.has(nameOf({ path })))
    .map(nameOf)
  expect(reads.length).toBeGreaterThan(10)
  expect(reads.filter((name) => !timed.has(name) && !(name in UNTIMED))).toEqual([])
})

test('the lists of the screens are found in their sources, with their order, filters and limits', async () => {
  const reads = await readsOfWebApp({ user_id: 'U', conversation_id: 'C' })
  const of = (table: string) => reads.filter((read) => read.table === table).map(({ query }) => query)
  expect(of('activity_logs')).toEqual(['select=*&user_id=eq.U&order=created_at.desc&limit=5'])
  expect(of('ai_messages')).toContain('select=*&conversation_id=eq.C&order=id.desc&limit=1000')
  expect(of('ai_conversations')).toContain('select=*&feature=in.(assistant,chat)&order=updated_at.desc,id.desc&limit=40')
  expect(await unreadable()).toEqual([])
})
