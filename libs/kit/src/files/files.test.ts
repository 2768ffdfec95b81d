import { createHash } from 'node:crypto'
import { fileContracts, storageBytes } from '@operon/contracts/files'
import { userDeleted } from '@operon/contracts/identity/events'
import { exportUser } from '@operon/contracts/personal-data'
import { sql } from 'kysely'
import * as tus from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { erasesPeople } from '../erasure.ts'
import { newId } from '../ids.ts'
import type { ServiceDefinition } from '../service.ts'
import { update } from '../testing/rows.ts'
import { startS3 } from '../testing/servers.ts'
import { startTestService, type TestPlatform, type TestUser } from '../testing/service.ts'
import { MOST_FILES, MOST_LINKS } from './files.ts'
import { eraseFiles, fileHoldings, mountFiles } from './mount.ts'
import { fileTables } from './schema.ts'

// All that a service needs to keep files of people.
const keeper: ServiceDefinition = {
  name: 'marketplace',
  config: z.object({}),
  migrations: { '0001_files': fileTables },
  setup(rt) {
    mountFiles(rt, fileContracts('marketplace'))
    erasesPeople(rt, { before: (ctx, userId) => eraseFiles(rt, ctx, userId), erase: async () => ({}), holds: fileHoldings })
  },
}
const at = '/files/v1/marketplace/~uploads'
const MIB = 1024 * 1024

for (const store of ['file:', 's3:']) {
  describe(`files on ${store}`, () => {
    let platform: TestPlatform
    let closeStore = async () => {}
    beforeAll(async () => {
      const s3 = store === 's3:' ? await startS3() : null
      closeStore = s3?.stop ?? closeStore
      platform = await startTestService(keeper, s3 ? { STORAGE_URL: s3.url } : {})
    })
    afterAll(async () => {
      await platform.close()
      await closeStore()
    })
    const db = () => platform.services.marketplace!.rt.db
    const storage = () => platform.services.marketplace!.rt.storage
    const call = (user: TestUser | null, method: string, path: string, headers: Record<string, string> = {}, body?: Uint8Array | string) =>
      fetch(platform.url() + path, {
        method,
        headers: { ...user?.headers, ...headers },
        ...(body !== undefined && { body: body as never }),
      })
    const begin = (user: TestUser, bytes: number, meta = '') =>
      call(user, 'POST', at, { 'tus-resumable': '1.0.0', 'upload-length': String(bytes), 'upload-metadata': meta })
    const send = (user: TestUser, path: string, offset: number, piece: Uint8Array) =>
      call(user, 'PATCH', path, { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) }, piece)
    const named = (name: string, type: string) =>
      `filename ${Buffer.from(name).toString('base64')},filetype ${Buffer.from(type).toString('base64')}`
    const put = async (user: TestUser, name: string, type: string, content: Uint8Array) => {
      const path = (await begin(user, content.length, named(name, type))).headers.get('location')!
      if (content.length) expect((await send(user, path, 0, content)).status).toBe(204)
      return path.split('/').at(-1)!
    }
    const fn = async (user: TestUser, name: string, body: object) =>
      (await (
        await call(user, 'POST', `/functions/v1/${name}`, { 'content-type': 'application/json' }, JSON.stringify(body))
      ).json()) as any

    test('an upload of the unmodified tus client that is cut off resumes where it was, and arrives whole', {
      timeout: 60_000,
    }, async () => {
      const user = platform.user()
      const content = Buffer.alloc(13 * MIB + 17, 7)
      content.write('begin', 0)
      content.write('end', content.length - 3)
      const options = {
        endpoint: platform.url() + at,
        chunkSize: 4 * MIB,
        headers: user.headers as Record<string, string>,
        metadata: { filename: 'report.bin', filetype: 'application/octet-stream' },
        retryDelays: null,
      }
      const cut = await new Promise<string>((resolve, reject) => {
        const upload = new tus.Upload(content as never, {
          ...options,
          onError: reject,
          onChunkComplete: (_size, sent) => {
            if (sent >= 8 * MIB) void upload.abort().then(() => resolve(upload.url!))
          },
        })
        upload.start()
      })
      const status = await call(user, 'HEAD', new URL(cut).pathname)
      expect([status.status, Number(status.headers.get('upload-offset')), status.headers.get('tus-resumable')]).toEqual([
        200,
        8 * MIB,
        '1.0.0',
      ])
      const sent: number[] = []
      await new Promise<void>((resolve, reject) => {
        const again = new tus.Upload(content as never, {
          ...options,
          uploadUrl: cut,
          onError: reject,
          onSuccess: () => resolve(),
          onChunkComplete: (size) => void sent.push(size),
        })
        again.start()
      })
      expect(sent.reduce((sum, size) => sum + size, 0)).toBe(5 * MIB + 17)
      const row = await db().selectFrom('files').selectAll().where('id', '=', cut.split('/').at(-1)!).executeTakeFirstOrThrow()
      expect(row).toMatchObject({ user_id: user.id, name: 'report.bin', bytes: content.length, received: content.length, state: 'ready' })
      const got = Buffer.concat(await (await storage().get(row.key)).body.toArray())
      expect(got.equals(content)).toBe(true)
      const hash = () => db().selectFrom('files').select('sha256').where('id', '=', row.id).executeTakeFirstOrThrow()
      await expect.poll(async () => (await hash()).sha256, { timeout: 20_000 }).toBe(createHash('sha256').update(content).digest('hex'))
    })

    test('a second writer, a wrong offset, too much, a stranger and a wrong type are refused, and nothing of theirs is kept', async () => {
      const [user, stranger] = [platform.user(), platform.user()]
      const path = (await begin(user, 30)).headers.get('location')!
      const id = path.split('/').at(-1)!
      await update(db(), 'files', { id }, { lock_id: newId(), locked_until: sql`now() + interval '1 minute'` })
      expect((await send(user, path, 0, Buffer.alloc(10, 1))).status).toBe(423)
      // A lock whose holder died ends by itself.
      await update(db(), 'files', { id }, { locked_until: sql`now() - interval '1 second'` })
      const racers = await Promise.all(Array.from({ length: 6 }, (_, n) => send(user, path, 0, Buffer.alloc(10, n))))
      expect(racers.filter(({ status }) => status === 204)).toHaveLength(1)
      expect(racers.every(({ status }) => [204, 409, 423].includes(status))).toBe(true)
      expect((await send(user, path, 3, Buffer.alloc(10))).status).toBe(409)
      expect((await send(user, path, 10, Buffer.alloc(21))).status).toBe(413)
      expect((await call(user, 'PATCH', path, { 'content-type': 'text/plain', 'upload-offset': '10' }, 'x')).status).toBe(415)
      for (const [method, body] of [['HEAD'], ['PATCH', Buffer.alloc(5)], ['DELETE']] as const) {
        const headers = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '10' }
        expect((await call(stranger, method, path, body ? headers : {}, body)).status).toBe(404)
        expect((await call(null, method, path, body ? headers : {}, body)).status).toBe(401)
      }
      expect((await send(user, path, 10, Buffer.alloc(20, 2))).status).toBe(204)
      // A finished file is not finished again, not even by a piece of nothing.
      expect((await send(user, path, 30, Buffer.alloc(0))).status).toBe(409)
      const winner = racers.findIndex(({ status }) => status === 204)
      const { key } = await db().selectFrom('files').select('key').where('id', '=', id).executeTakeFirstOrThrow()
      expect([...Buffer.concat(await (await storage().get(key)).body.toArray())]).toEqual([...Array(10).fill(winner), ...Array(20).fill(2)])
    })

    test('an upload whose last piece came just before a crash is finished when its sender asks how far it is', async () => {
      const user = platform.user()
      const path = (await begin(user, 5, named('a.txt', 'text/plain'))).headers.get('location')!
      const id = path.split('/').at(-1)!
      const { key, upload } = await db().selectFrom('files').select(['key', 'upload']).where('id', '=', id).executeTakeFirstOrThrow()
      const state = await storage().append(key, upload!, 0, Buffer.from('whole'))
      await update(db(), 'files', { id }, { received: 5, upload: state, head: Buffer.from('whole') })
      const asked = await Promise.all([1, 2].map(() => call(user, 'HEAD', path)))
      expect(asked.some(({ status, headers }) => status === 200 && headers.get('upload-offset') === '5')).toBe(true)
      const row = await db().selectFrom('files').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      expect(row).toMatchObject({ state: 'ready', type: 'text/plain; charset=utf-8' })
      expect(String(Buffer.concat(await (await storage().get(key)).body.toArray()))).toBe('whole')
    })

    test('twenty uploads at once take no more than the plan has, and what is given up gives its space back', async () => {
      const user = platform.user()
      const each = Math.floor(storageBytes.none / 5)
      const answers = await Promise.all(Array.from({ length: 20 }, () => begin(user, each)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
      const refused = answers.find(({ status }) => status === 413)!
      expect(await refused.json()).toMatchObject({ code: 'storage_quota' })
      const used = async () =>
        (await db().selectFrom('file_usage').select('bytes').where('user_id', '=', user.id).executeTakeFirstOrThrow()).bytes
      expect(await used()).toBe(each * 5)
      const path = answers.find(({ status }) => status === 201)!.headers.get('location')!
      const gone = await Promise.all([1, 2, 3].map(() => call(user, 'DELETE', path)))
      expect(gone.some(({ status }) => status === 204)).toBe(true)
      expect(await used()).toBe(each * 4)
      expect((await begin(user, each)).status).toBe(201)
      await db()
        .insertInto('entitlements')
        .values({
          user_id: user.id,
          tier: 'basic',
          status: 'active',
          limits: '{}',
          period_start: new Date(),
          period_end: null,
          version: 1,
        } as never)
        .execute()
      expect((await begin(user, each)).status).toBe(201)
      // The plan is this person's alone.
      expect((await begin(platform.user(), storageBytes.none + 1)).status).toBe(413)
    })

    test('empty files and links take no space, and are bounded by their number', async () => {
      const user = platform.user()
      const file_id = await put(user, 'a.txt', 'text/plain', Buffer.from('a'))
      const link = () => fn(user, 'marketplace-file-link', { file_id })
      await sql`
        insert into file_links (id, file_id, user_id, token_hash, expires_at)
        select gen_random_uuid(), ${file_id}, ${user.id}, ${user.id} || n, now() + interval '1 hour' from generate_series(1, ${MOST_LINKS - 1}::int) n`.execute(
        db(),
      )
      expect([(await link()).link_id, (await link()).code]).toEqual([expect.any(String), 'file_links_full'])
      await sql`
        insert into files (id, user_id, key, name, bytes, said_type, state)
        select gen_random_uuid(), ${user.id}, ${user.id} || n, 'x', 0, '', 'ready' from generate_series(1, ${MOST_FILES - 2}::int) n`.execute(
        db(),
      )
      expect((await begin(user, 0)).status).toBe(201)
      const refused = await begin(user, 0)
      expect([refused.status, ((await refused.json()) as any).code]).toEqual([413, 'storage_quota'])
    })

    test('a type is what the content shows, and a file is only ever downloaded', async () => {
      const user = platform.user()
      const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==', 'base64')
      const page = Buffer.from('<!doctype html><script>alert(1)</script>')
      for (const [name, said, content, type] of [
        ['a.html', 'text/html', png, 'image/png'],
        ['b.png', 'image/png', page, 'application/octet-stream'],
        ['c.html', 'text/html', page, 'application/octet-stream'],
        ['d.svg', 'image/svg+xml', Buffer.from('<svg onload="alert(1)"/>'), 'application/octet-stream'],
        ['e.txt', 'text/plain', Buffer.from('Grüße'), 'text/plain; charset=utf-8'],
        ['../../f\u202Egnp.exe', 'text/plain', Buffer.alloc(0), 'text/plain; charset=utf-8'],
      ] as const) {
        const file_id = await put(user, name, said, content)
        const { url } = await fn(user, 'marketplace-file-link', { file_id })
        const answer = await fetch(platform.url() + new URL(url).pathname)
        expect([name, answer.status, answer.headers.get('content-type')]).toEqual([name, 200, type])
        expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[^"/\\]*"/)
        expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/)
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
        expect(answer.headers.get('cache-control')).toBe('no-store')
        expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true)
      }
    })

    test('a list has the files of its person alone, a page at a time', async () => {
      const [user, other] = [platform.user(), platform.user()]
      const mine = [
        await put(user, 'one.txt', 'text/plain', Buffer.from('one')),
        await put(user, 'two.txt', 'text/plain', Buffer.from('two')),
      ]
      await put(other, 'theirs.txt', 'text/plain', Buffer.from('theirs'))
      await begin(user, 5, named('unfinished.txt', 'text/plain'))
      const listed = async (of: TestUser, body = {}) => (await fn(of, 'marketplace-files', body)).files.map(({ id }: any) => id)
      expect(await listed(user)).toEqual(mine.toReversed())
      expect(await listed(user, { q: 'two' })).toEqual([mine[1]])
      expect(await listed(user, { after: mine[1] })).toEqual([mine[0]])
      expect(await listed(platform.user())).toEqual([])
    })

    test('a link ends when it is revoked, when its time is over and with its file; only its hash is kept', async () => {
      const [user, stranger] = [platform.user(), platform.user()]
      const file_id = await put(user, 'a.txt', 'text/plain', Buffer.from('a'))
      const make = async () => {
        const link = await fn(user, 'marketplace-file-link', { file_id })
        return { ...link, path: new URL(link.url).pathname as string }
      }
      const open = async (path: string) => (await fetch(platform.url() + path)).status
      const [revoked, late, last] = [await make(), await make(), await make()]
      expect((await fn(stranger, 'marketplace-file-link', { file_id })).code).toBe('not_found')
      expect(await fn(stranger, 'marketplace-file-link-revoke', { link_id: revoked.link_id })).toEqual({ revoked: false })
      expect(await open(revoked.path)).toBe(200)
      expect(await fn(user, 'marketplace-file-link-revoke', { link_id: revoked.link_id })).toEqual({ revoked: true })
      expect(await open(revoked.path)).toBe(404)
      await update(db(), 'file_links', { id: late.link_id }, { expires_at: sql`now() - interval '1 second'` })
      expect(await open(late.path)).toBe(404)
      expect(JSON.stringify(await db().selectFrom('file_links').selectAll().execute())).not.toContain(last.path.split('/').at(-1))
      expect(await open(last.path)).toBe(200)
      expect((await call(user, 'DELETE', `${at}/${file_id}`)).status).toBe(204)
      expect(await open(last.path)).toBe(404)
    })

    test('erasing a person takes their rows, objects and half-sent uploads, and nobody else’s', async () => {
      const [user, other] = [platform.user(), platform.user()]
      const mine = await put(user, 'a.txt', 'text/plain', Buffer.from('a'))
      await begin(user, 100)
      const theirs = await put(other, 'b.txt', 'text/plain', Buffer.from('b'))
      const keyOf = async (id: string) => (await db().selectFrom('files').select('key').where('id', '=', id).executeTakeFirstOrThrow()).key
      const [gone, kept] = [await keyOf(mine), await keyOf(theirs)]
      await platform.emit(userDeleted, user.id, { version: 2 })
      const rows = () => db().selectFrom('files').select('user_id').where('user_id', '=', user.id).execute()
      await vi.waitFor(async () => expect(await rows()).toEqual([]), { timeout: 20_000 })
      expect(await storage().head(gone)).toBeNull()
      expect(await storage().head(kept)).not.toBeNull()
    })

    test('an export has a row for each file and link, and nothing that would open one', async () => {
      const user = platform.user()
      const file_id = await put(user, 'a.txt', 'text/plain', Buffer.from('a'))
      await fn(user, 'marketplace-file-link', { file_id, hours: 1 })
      const { rt } = platform.services.marketplace!
      const told: Record<string, Record<string, unknown>[]> = {}
      let from: { part: number; after: string | null } | null = null
      do {
        const piece: any = await rt.ask(exportUser('marketplace'), { user_id: user.id, from })
        told[piece.name] = piece.rows
        from = piece.next
      } while (from)
      expect(told.files).toMatchObject([{ id: file_id, name: 'a.txt', bytes: 1, state: 'ready' }])
      expect(told.file_links).toMatchObject([{ file_id }])
      expect(told.file_usage).toMatchObject([{ bytes: 1 }])
      for (const hidden of ['upload', 'head', 'lock_id', 'locked_until', 'token_hash'])
        expect(JSON.stringify(told), hidden).not.toContain(`"${hidden}"`)
    })
  })
}
