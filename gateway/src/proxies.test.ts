import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Doors, earlyAnswers, framings, sendHidden } from './testing/early-answers.ts'
import { isInstalled, mark, startProxy } from './testing/proxies.ts'
import { testGateway, token } from './testing/start.ts'
import { type TestUpstream, testUpstream } from './testing/upstream.ts'

// Two programs that read the same bytes may disagree on where a request ends. Bytes that a proxy passes on as a body must never run as a request
// behind it, and the answers must never change places: the next caller shares the proxy's connections.
const doors: Doors = {
  open: '/functions/v1/open',
  mine: '/functions/v1/mine',
  staff: '/functions/v1/for-staff',
  missing: '/functions/v1/nothing',
  limited: '/auth/v1/signup',
  userToken: token().token,
}
const hidden = (path: string) => `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`

describe.each(['nginx', 'haproxy'] as const)('behind %s', (kind) => {
  const absent = isInstalled(kind) ? null : `${kind} is not on PATH`
  describe.skipIf(absent)(absent ? `skipped: ${absent}` : 'a request that lies in or behind another never runs unseen', () => {
    let upstream: TestUpstream
    let gateway: Awaited<ReturnType<typeof testGateway>>
    let proxy: Awaited<ReturnType<typeof startProxy>>
    beforeAll(async () => {
      upstream = await testUpstream()
      gateway = await testGateway({
        upstreams: { billing: { kind: 'remote', addresses: [upstream.url] } },
        env: { RATE_AUTH_STRICT: '1/3600s' },
      })
      proxy = await startProxy(kind, gateway.port)
      await fetch(`http://127.0.0.1:${proxy.port}${doors.limited}`, { method: 'POST' })
    }, 60_000)
    afterAll(async () => {
      await proxy?.close()
      await gateway.close()
      await upstream.close()
    })

    const cases = earlyAnswers(doors).flatMap((early) => (early.framings ?? framings).map((framing) => ({ ...early, framing })))
    test.each(cases)('$name, $framing', { timeout: 30_000 }, async ({ name, head, framing }) => {
      const path = `/functions/v1/once?${encodeURIComponent(`${name} ${framing}`)}`
      const answers = await sendHidden(proxy.port, head, framing, hidden(path))
      expect(answers.length).toBeGreaterThan(0)
      // Behind a request without a body the proxy may see one more of the same caller, and passes it on as one.
      const ran = upstream.seen.filter(({ url }) => url === path)
      if (framing !== 'behind it') expect(ran).toEqual([])
      for (const { headers } of ran) expect(headers).toHaveProperty(mark)
      // Others are answered with what they asked for, over the connections that were just used.
      const next = `${doors.open}?after=${encodeURIComponent(`${name} ${framing}`)}`
      const all = await Promise.all(
        [1, 2, 3].map(async (n) => (await fetch(`http://127.0.0.1:${proxy.port}${next}&n=${n}`, { method: 'POST' })).json()),
      )
      expect(all.map((one: any) => one.url)).toEqual([1, 2, 3].map((n) => `${next}&n=${n}`))
    })
  })
})
