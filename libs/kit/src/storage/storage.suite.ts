import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createHttp } from '../http.ts'
import { createMetrics } from '../metrics.ts'
import { createLogger } from '../telemetry.ts'
import { addLinks } from './links.ts'
import type { Storage } from './storage.ts'

type Store = Omit<Storage, 'signedUrl'>

/** The promises of every storage, and its signed links over real HTTP. */
export function storageSuite(title: string, openStore: () => Promise<{ store: Store; close(): Promise<void> }>) {
  describe(title, () => {
    let opened: { store: Store; close(): Promise<void> }
    let storage: Storage
    let origin = ''
    const app = createHttp({
      service: 'media',
      db: null as never,
      log: createLogger('silent'),
      verifier: null as never,
      metrics: createMetrics(),
    })
    /** A link points at PUBLIC_URL; here the service is asked directly. */
    const reach = (url: string) => url.replace('https://app.example', origin)

    beforeAll(async () => {
      opened = await openStore()
      storage = addLinks(opened.store, { app, service: 'media', publicUrl: 'https://app.example', secret: Buffer.alloc(32, 7) })
      origin = await app.listen({ port: 0, host: '127.0.0.1' })
    })
    afterAll(async () => {
      await app.close()
      await opened.close()
    })

    test('what is put is got back, whole or in part, with its type and size', async () => {
      const info = await storage.put('notes/a b.txt', Buffer.from('hello world'), { contentType: 'text/plain' })
      expect(info).toMatchObject({ key: 'notes/a b.txt', size: 11, contentType: 'text/plain' })
      const got = await storage.get('notes/a b.txt')
      expect(got.info).toMatchObject({ size: 11, contentType: 'text/plain', etag: info.etag })
      expect(await text(got.body)).toBe('hello world')
      const part = await storage.get('notes/a b.txt', { start: 6, end: 8 })
      expect(part.info.size).toBe(11)
      expect(await text(part.body)).toBe('wor')
      expect(await text((await storage.get('notes/a b.txt', { start: 6 })).body)).toBe('world')
    })

    test('a stream larger than one part arrives unchanged', async () => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const body = Readable.from(
        (function* () {
          for (let i = 0; i < 100; i++) yield Buffer.concat([chunk, Buffer.from([i])])
        })(),
      )
      const info = await storage.put('big/one.bin', body, { contentType: 'application/octet-stream' })
      expect(info.size).toBe(100 * (64 * 1024 + 1))
      const last = await storage.get('big/one.bin', { start: info.size - 1 })
      expect((await last.body.toArray()).at(-1)).toEqual(Buffer.from([99]))
    })

    test('a body over its limit leaves nothing, and the old file stays', async () => {
      await expect(
        storage.put('limit/new.txt', Readable.from([Buffer.alloc(50), Buffer.alloc(60)]), { contentType: 'text/plain', maxBytes: 100 }),
      ).rejects.toMatchObject({ code: 'too_large' })
      expect(await storage.head('limit/new.txt')).toBeNull()
      await storage.put('limit/old.txt', Buffer.from('old'), { contentType: 'text/plain' })
      await expect(
        storage.put('limit/old.txt', Readable.from([Buffer.alloc(200)]), { contentType: 'text/plain', maxBytes: 100 }),
      ).rejects.toMatchObject({ code: 'too_large' })
      expect(await text((await storage.get('limit/old.txt')).body)).toBe('old')
      expect((await storage.list('limit/')).map(({ key }) => key)).toEqual(['limit/old.txt'])
    })

    test('a body that breaks off leaves nothing', async () => {
      const broken = Readable.from(
        (async function* () {
          yield Buffer.from('half')
          throw new Error('the line went dead')
        })(),
      )
      await expect(storage.put('broken/a.txt', broken, { contentType: 'text/plain' })).rejects.toThrow()
      expect(await storage.head('broken/a.txt')).toBeNull()
    })

    test('a file is replaced, listed and deleted; what is absent is not found', async () => {
      await storage.put('list/b.txt', Buffer.from('1'), { contentType: 'text/plain' })
      await storage.put('list/a.txt', Buffer.from('22'), { contentType: 'text/css' })
      await storage.put('list/b.txt', Buffer.from('333'), { contentType: 'text/html' })
      await storage.put('listen.txt', Buffer.from('no'), { contentType: 'text/plain' })
      expect((await storage.list('list/')).map(({ key, size, contentType }) => [key, size, contentType])).toEqual([
        ['list/a.txt', 2, 'text/css'],
        ['list/b.txt', 3, 'text/html'],
      ])
      expect((await storage.list('list/', 1)).length).toBe(1)
      await storage.delete('list/b.txt')
      await storage.delete('list/b.txt')
      expect(await storage.head('list/b.txt')).toBeNull()
      await expect(storage.get('list/b.txt')).rejects.toMatchObject({ code: 'not_found' })
      expect(await storage.list('nothing/')).toEqual([])
      expect(await storage.ready()).toBe(true)
    })

    test('a file arrives in pieces of any size; one that is written again is replaced, and nothing shows before the end', async () => {
      const bytes = (size: number, fill: number) => Buffer.alloc(size, fill)
      const pieces = [bytes(3_000_000, 1), bytes(6_000_000, 2), bytes(10, 3), bytes(5_500_000, 4), bytes(1_234, 5)]
      let state = await storage.begin('pieces/a.bin', 'application/zip')
      let offset = 0
      for (const piece of pieces) {
        // A try that was cut off after it had written: its state was not kept.
        await storage.append('pieces/a.bin', state, offset, Buffer.concat([bytes(piece.length, 9), bytes(100, 9)]))
        state = await storage.append('pieces/a.bin', state, offset, piece)
        offset += piece.length
      }
      expect(await storage.head('pieces/a.bin')).toBeNull()
      const info = await storage.finish('pieces/a.bin', state, offset, 'application/zip')
      expect(info).toMatchObject({ key: 'pieces/a.bin', size: offset, contentType: 'application/zip' })
      const got = Buffer.concat(await (await storage.get('pieces/a.bin')).body.toArray())
      expect(got.equals(Buffer.concat(pieces))).toBe(true)
      expect((await storage.list('pieces/')).map(({ key }) => key)).toEqual(['pieces/a.bin'])
    })

    test('a file of one small piece, an empty one, and one that is given up', async () => {
      const small = await storage.append('pieces/s.txt', await storage.begin('pieces/s.txt', 'text/plain'), 0, Buffer.from('small'))
      expect(await storage.finish('pieces/s.txt', small, 5, 'text/plain')).toMatchObject({ size: 5, contentType: 'text/plain' })
      expect(await text((await storage.get('pieces/s.txt')).body)).toBe('small')
      await storage.finish('pieces/e.txt', await storage.begin('pieces/e.txt', 'text/plain'), 0, 'text/plain')
      expect((await storage.head('pieces/e.txt'))!.size).toBe(0)
      const gone = await storage.append('pieces/g.txt', await storage.begin('pieces/g.txt', 'text/plain'), 0, Buffer.from('gone'))
      await storage.abandon('pieces/g.txt', gone)
      expect(await storage.head('pieces/g.txt')).toBeNull()
      await expect(storage.append('pieces/g.txt', gone, 4, Buffer.from('more'))).rejects.toThrow()
    })

    test.each(['../secret', 'a/../../b', '/etc/passwd', 'a//b', 'a/.hidden', 'a/b~meta', 'a\\b', 'a/\0', '', 'a/..'])(
      'the key %j is refused',
      async (key) => {
        await expect(storage.put(key, Buffer.from('x'), { contentType: 'text/plain' })).rejects.toMatchObject({ code: 'invalid' })
        await expect(storage.get(key)).rejects.toMatchObject({ code: 'invalid' })
      },
    )

    test('a signed link serves the file, in ranges too, with headers that let nothing run', async () => {
      await storage.put('links/tone.wav', Buffer.from('0123456789'), { contentType: 'audio/wav' })
      const url = storage.signedUrl('links/tone.wav', { expiresInS: 60 })
      expect(url).toMatch(/^https:\/\/app\.example\/files\/v1\/media\/links\/tone\.wav\?/)
      const whole = await fetch(reach(url))
      expect([whole.status, await whole.text()]).toEqual([200, '0123456789'])
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        'content-type': 'audio/wav',
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        'content-length': '10',
      })
      expect(whole.headers.get('content-security-policy')).toContain('sandbox')
      const part = await fetch(reach(url), { headers: { range: 'bytes=2-4' } })
      expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
      const tail = await fetch(reach(url), { headers: { range: 'bytes=-3' } })
      expect([tail.status, await tail.text()]).toEqual([206, '789'])
      expect((await fetch(reach(url), { headers: { range: 'bytes=10-' } })).status).toBe(416)
      expect((await fetch(reach(url), { headers: { 'if-none-match': whole.headers.get('etag')! } })).status).toBe(304)
      const head = await fetch(reach(url), { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
    })

    test('a page or a drawing that could run scripts is only ever downloaded', async () => {
      await storage.put('links/evil.svg', Buffer.from('<svg onload="alert(1)"/>'), { contentType: 'image/svg+xml' })
      const answer = await fetch(reach(storage.signedUrl('links/evil.svg', { expiresInS: 60 })))
      expect(answer.headers.get('content-disposition')).toContain('attachment')
      const named = await fetch(reach(storage.signedUrl('links/evil.svg', { expiresInS: 60, downloadAs: 'Übung "1".svg' })))
      expect(named.headers.get('content-disposition')).toBe(
        `attachment; filename="_bung _1_.svg"; filename*=UTF-8''%C3%9Cbung%20%221%22.svg`,
      )
    })

    test('a link is refused once it has expired or anything in it was changed', async () => {
      await storage.put('links/a.txt', Buffer.from('a'), { contentType: 'text/plain' })
      await storage.put('links/b.txt', Buffer.from('b'), { contentType: 'text/plain' })
      const url = reach(storage.signedUrl('links/a.txt', { expiresInS: 60 }))
      const tampered = [
        url.replace('a.txt', 'b.txt'),
        url.replace(/expires=\d+/, 'expires=9999999999'),
        `${url}&name=x.html`,
        url.replace(/sig=.{4}/, 'sig=AAAA'),
        url.replace(/&sig=.*/, ''),
      ]
      for (const bad of tampered) expect([bad, (await fetch(bad)).status]).toEqual([bad, 403])
      expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
      const late = await fetch(url).finally(() => vi.useRealTimers())
      expect([late.status, (await late.json()) as unknown]).toMatchObject([403, { message: 'This link has expired.' }])
      expect((await fetch(url)).status).toBe(200)
      expect((await fetch(reach(storage.signedUrl('links/none.txt', { expiresInS: 60 })))).status).toBe(404)
    })

    test('a signed link takes an upload of its type and no more than its size', async () => {
      const url = reach(storage.signedUrl('uploads/x.png', { method: 'PUT', expiresInS: 60, contentType: 'image/png', maxBytes: 1000 }))
      await storage.delete('uploads/x.png')
      const put = (body: string | ReadableStream, type: string) =>
        fetch(url, { method: 'PUT', body, headers: { 'content-type': type }, duplex: 'half' } as RequestInit)
      expect((await put('x'.repeat(1001), 'image/png')).status).toBe(413)
      const unannounced = Readable.toWeb(Readable.from([Buffer.alloc(600), Buffer.alloc(600)])) as never
      expect((await put(unannounced, 'image/png').catch(() => ({ status: 413 }))).status).toBe(413)
      expect((await put('<html>', 'text/html')).status).toBe(400)
      expect(await storage.head('uploads/x.png')).toBeNull()
      const taken = await put('picture', 'image/png')
      expect([taken.status, await taken.json()]).toMatchObject([200, { key: 'uploads/x.png', size: 7, contentType: 'image/png' }])
      expect(await text((await storage.get('uploads/x.png')).body)).toBe('picture')
      // The link to put is no link to get.
      expect((await fetch(url)).status).toBe(403)
    })
  })
}
