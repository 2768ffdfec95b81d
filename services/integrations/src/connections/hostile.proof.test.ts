import { apps } from '@operon/contracts/integrations/apps'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { vendors } from '../apps/vendors.ts'
import { integrationsService } from '../service.ts'
import { connectingIn } from '../testing.ts'

// The scenarios that `npm run attack` tries with one app of each kind (S17, S19, S20), over every app of the library.

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
afterAll(() => platform.close())
const oauth = apps.filter(({ vendor }) => vendor)

test('S17: in no app does a code connect for another person, with another state, from another app, or twice [spec-121]', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const finish = async (user: typeof ann, answer: object) => (await world.call(user, 'finish-connection', answer)).body
  const begin = async (app: string) => (await world.call(ann, 'connect-app', { app })).body.auth_url as string
  for (const [at, { id, vendor }] of oauth.entries()) {
    const url = await begin(id)
    const asked = new URL(url).searchParams
    expect([id, asked.get('redirect_uri')]).toEqual([id, `http://localhost:8080/connect/${id}`])
    if (vendors[vendor as keyof typeof vendors].pkce) expect([id, asked.get('code_challenge_method')]).toEqual([id, 'S256'])
    const { answer } = await world.decide(url, ann.email)
    const other = oauth[(at + 1) % oauth.length]!.id
    const foreign = (await world.decide(await begin(other), ann.email)).answer
    expect([id, (await finish(eve, answer)).code]).toEqual([id, 'connection_attempt'])
    const altered = answer.state.slice(0, -1) + (answer.state.endsWith('A') ? 'B' : 'A')
    expect([id, (await finish(ann, { ...answer, state: altered })).code]).toEqual([id, 'connection_attempt'])
    // Mixed up: the code of another app under this one's state.
    expect([id, (await finish(ann, { state: answer.state, code: foreign.code })).code]).toEqual([id, 'connection_refused'])
    expect([id, (await finish(ann, answer)).code]).toEqual([id, 'connection_attempt'])
    expect([id, (await world.call(ann, 'list-connections', { app: id })).body.connections]).toEqual([id, []])
  }
  expect((await world.call(eve, 'list-connections')).body.connections).toEqual([])
}, 120_000)

test("S20: in no app does another person's token open in one's own row; S19: no token is found in what is kept or answered [spec-125]", async () => {
  const sealedOf = async (id: string) =>
    (await world.db.selectFrom('connections').select('sealed').where('id', '=', id).executeTakeFirstOrThrow()).sealed as string
  const put = (id: string, sealed: string) => update(world.db, 'connections', { id }, { sealed })
  const answers: unknown[] = []
  const emails: string[] = []
  for (const { id: app } of apps) {
    const [ann, ben] = [platform.user(), platform.user()]
    const [hers, his] = [await world.connected(ann, app), await world.connected(ben, app)]
    const own = await sealedOf(hers)
    const tested = async () => {
      const answer = await world.call(ann, 'test-connection', { connection_id: hers })
      answers.push(answer)
      return answer.status
    }
    await put(hers, await sealedOf(his))
    expect([app, await tested()]).toEqual([app, 500])
    await put(hers, own)
    await world.db.deleteFrom('rate_buckets').where('connection_id', '=', hers).execute()
    expect([app, await tested()]).toEqual([app, 200])
    // A stranger's change to the row is no reason to have her connect again.
    expect([app, (await world.call(ann, 'list-connections')).body.connections[0].state]).not.toEqual([app, 'broken'])
    answers.push(await world.call(ann, 'list-connections'), await world.call(ann, 'show-connection', { connection_id: hers }))
    emails.push(ann.email, ben.email)
  }
  // Tokens of the stand-ins begin so, and pasted keys end in the name of their account.
  const secret = new RegExp(`apptok|appref|sandbox_(${emails.map((email) => email.split('@')[0]).join('|')})`)
  expect('sandbox_'.concat(emails[0]!.split('@')[0]!)).toMatch(secret)
  expect(JSON.stringify(answers)).not.toMatch(secret)
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(world.db)
  expect(tables.length).toBeGreaterThan(10)
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select row_to_json(t)::text as row from ${sql.table(name)} t`.execute(world.db)
    for (const { row } of rows) expect([name, secret.exec(row)?.[0]]).toEqual([name, undefined])
  }
}, 240_000)
