import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Doors, earlyAnswers, framings, sendHidden } from './testing/early-answers.ts'
import { testGateway, token } from './testing/start.ts'
import { testUpstream } from './testing/upstream.ts'
import type { Upstream } from './upstreams.ts'

const doors: Doors = {
  open: '/functions/v1/open',
  mine: '/functions/v1/mine',
  staff: '/functions/v1/for-staff',
  missing: '/functions/v1/nothing',
  limited: '/auth/v1/signup',
  userToken: token().token,
}
const hidden = (path: string) => `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`

type Mode = { upstream: Upstream; seen: () => string[]; close: () => Promise<unknown> }
const modes: Record<string, () => Promise<Mode>> = {
  'in process': async () => {
    const urls: string[] = []
    const app = Fastify()
    app.addHook('onRequest', async ({ url }) => void urls.push(url))
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.all('*', async () => ({}))
    await app.ready()
    return { upstream: { kind: 'local', app }, seen: () => urls, close: () => app.close() }
  },
  'over a Unix socket': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'operon-early-'))
    const urls: string[] = []
    const server = createServer((request, response) => {
      urls.push(request.url!)
      request.resume().on('end', () => response.end('{}'))
    })
    await new Promise<void>((resolve) => server.listen(join(folder, 'billing'), resolve))
    const close = async () => {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true })
    }
    return { upstream: { kind: 'remote', addresses: [`unix:${join(folder, 'billing')}`] }, seen: () => urls, close }
  },
  'over TCP': async () => {
    const { url, seen, close } = await testUpstream()
    return { upstream: { kind: 'remote', addresses: [url] }, seen: () => seen.map((one) => one.url), close }
  },
}

describe.each(Object.entries(modes))('a request that lies in or behind another never runs, %s', (_mode, open) => {
  let mode: Mode
  let gateway: Awaited<ReturnType<typeof testGateway>>
  beforeAll(async () => {
    mode = await open()
    gateway = await testGateway({ upstreams: { billing: mode.upstream }, env: { RATE_AUTH_STRICT: '1/3600s' } })
    await fetch(`${gateway.url}${doors.limited}`, { method: 'POST' })
  })
  afterAll(async () => {
    await gateway.close()
    await mode.close()
  })

  const cases = earlyAnswers(doors).flatMap((early) => (early.framings ?? framings).map((framing) => ({ ...early, framing })))
  test.each(cases)('$name, $framing', async ({ name, head, framing, status }) => {
    const path = `/functions/v1/once?${encodeURIComponent(`${name} ${framing}`)}`
    const answers = await sendHidden(gateway.port, head, framing, hidden(path))
    expect(answers).toEqual([expect.stringMatching(status)])
    expect(mode.seen()).not.toContain(path)
  })
})
