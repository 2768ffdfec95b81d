import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { AppId } from '@operon/contracts/integrations/apps'
import { connectionBroken } from '@operon/contracts/integrations/events'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, afterEach, expect, test } from 'vitest'
import { definitionOf } from '../apps/all.ts'
import { integrationsService } from '../service.ts'
import { connectingIn } from '../testing.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
const { rt } = platform.services.integrations!
const databaseUrl = platform.infra.env.DATABASE_URL_INTEGRATIONS!
const standIn = (await rt.ask(sandboxAddress, { provider: 'apps' })).url
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => platform.close())

async function refresher(): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'refresher.ts'), [JSON.stringify({ databaseUrl, dataDir: platform.dataDir, standIn })])
  children.push(child)
  await once(child, 'message')
  return child
}
async function ask(child: ChildProcess, ids: string[], times = 1): Promise<string[]> {
  child.send({ ids, times })
  return (await once(child, 'message'))[0] as string[]
}
const expire = (ids: string[]) =>
  world.db
    .updateTable('connections')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('id', 'in', ids)
    .execute()
const endLeases = (ids: string[]) =>
  world.db
    .updateTable('connections')
    .set({ lease_until: new Date(Date.now() - 1000) })
    .where('id', 'in', ids)
    .execute()
const refreshes = async (email: string) => (await world.truth('refreshed')).filter((line) => line.email === email).length
async function connection(app: AppId = 'outlook') {
  const user = platform.user()
  return { user, id: await world.connected(user, app) }
}

test('500 callers in four processes on an expired token that rotates: one refresh, 500 answers with one token [spec-125]', async () => {
  const { user, id } = await connection()
  const four = await Promise.all(Array.from({ length: 4 }, refresher))
  await expire([id])
  const answers = (await Promise.all(four.map((child) => ask(child, [id], 125)))).flat()
  expect(answers.length).toBe(500)
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toMatch(/^token /)
  expect(await refreshes(user.email)).toBe(1)
}, 60_000)

test('a process that stands still past its lease holds nobody up, and takes the token of the others when it wakes [spec-125]', async () => {
  const { user, id } = await connection()
  const [sleeper, other] = [await refresher(), await refresher()]
  await expire([id])
  await platform.fault({ provider: 'apps', account: user.email, match: 'token', kind: 'hung' })
  const late = ask(sleeper, [id])
  // The fault is used up by the sleeper's own request, which hangs from then on.
  const ordered = async () => ((await (await fetch(`${platform.url('sandbox')}/sandbox/faults`)).json()) as { faults: unknown[] }).faults
  await expect.poll(ordered, { timeout: 30_000 }).toEqual([])
  sleeper.kill('SIGSTOP')
  await endLeases([id])
  const [awake] = await ask(other, [id])
  expect(awake).toMatch(/^token /)
  sleeper.kill('SIGCONT')
  expect(await late).toEqual([awake])
  expect(await refreshes(user.email)).toBe(1)
}, 60_000)

/** All of them in the long run of the tests. */
const MANY = process.env.OPERON_TEST_ALL === '1' ? 1000 : 100

test(`kill -9 in the middle of ${MANY} refreshes: each connection works, or says that it has to be connected again [spec-125]`, async () => {
  const people = []
  for (let n = 0; n < MANY / 5; n++) people.push(...(await Promise.all(Array.from({ length: 5 }, () => connection()))))
  const ids = people.map(({ id }) => id)
  await expire(ids)
  const victim = await refresher()
  victim.send({ ids, times: 1 })
  const saved = async () =>
    Number(
      (
        await world.db
          .selectFrom('connections')
          .select((eb: any) => eb.fn.countAll().as('n'))
          .where('id', 'in', ids)
          .where('generation', '>', 1)
          .executeTakeFirstOrThrow()
      ).n,
    )
  await expect.poll(saved, { interval: 5, timeout: 20_000 }).toBeGreaterThan(MANY / 10)
  victim.kill('SIGKILL')
  await once(victim, 'exit')
  const before = await saved()
  await endLeases(ids)
  const next = await refresher()
  const outcomes = new Map<string, string>()
  // On a busy machine some wait for longer than a call may, and are told to come back.
  for (let left = ids, turn = 0; left.length && turn < 5; turn++) {
    const answers = await ask(next, left)
    for (const [index, id] of left.entries()) outcomes.set(id, answers[index]!)
    left = left.filter((id) => outcomes.get(id) === 'upstream_timeout')
  }
  const works = ids.filter((id) => outcomes.get(id)!.startsWith('token ')).length
  const broken = ids.filter((id) => outcomes.get(id) === 'connection_broken')
  expect(works + broken.length, `${[...new Set(outcomes.values())].filter((each) => !each.startsWith('token '))}`).toBe(MANY)
  // No more than were on their way at once.
  expect(broken.length).toBeLessThanOrEqual(16)
  expect(before).toBeLessThan(MANY)
  const told = await world.db.selectFrom('outbox').select('payload').where('name', '=', connectionBroken.name).execute()
  const ours = told.map(({ payload }: any) => payload.connection_id).filter((id: string) => ids.includes(id))
  expect(ours.sort()).toEqual([...broken].sort())
  console.log(`${works} work, ${broken.length} have to be connected again; ${before} were saved before the kill`)
}, 400_000)

test('ten callers of 1,000 Notion calls together get no 429, and another connection is not delayed [spec-88]', async () => {
  const [busy, calm] = [await connection('notion'), await connection('notion')]
  const { takeTurn } = await import('./rate.ts')
  // Turns are what spaces the calls out; 10,000 of them at three a second would be an hour, so each is taken and its moment compared.
  const moments: number[] = []
  const began = Date.now()
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let n = 0; n < 1000; n++)
        moments.push(Date.now() - began + (await takeTurn(world.db, busy.id, definitionOf('notion').perMinute, 1e9)).waitMs)
    }),
  )
  moments.sort((one, other) => one - other)
  const most = moments.reduce((worst, at, index) => {
    let end = index
    while (end < moments.length && moments[end]! < at + 10_000) end++
    return Math.max(worst, end - index)
  }, 0)
  expect(moments.length).toBe(10_000)
  // The calls that Notion, and its stand-in, allows in ten seconds.
  expect(most).toBeLessThanOrEqual(30)
  const startedAt = Date.now()
  expect((await world.call(calm.user, 'notion-api', { action: 'get_databases' })).status).toBe(200)
  expect(Date.now() - startedAt).toBeLessThan(2000)
}, 120_000)
