import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { features } from '@operon/contracts/ai-gateway/api'
import type { Event } from '@operon/contracts/contract'
import { isAppPath } from '@operon/contracts/links'
import { durableEvents } from '@operon/contracts/registry'
import { expect, test } from 'vitest'
import { samplesOf } from './corpus/samples.ts'
import { buildWebIfChanged } from './web.ts'

test('every link that an event leaves in a notice, a line of activity or an email opens a page of the app', {
  timeout: 180_000,
}, async () => {
  await buildWebIfChanged(() => {})
  const routes = JSON.parse(readFileSync(join(import.meta.dirname, '../../web/dist/routes.json'), 'utf8')) as string[]
  const pages = routes.map((route) => new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`))
  const opens = (link: string) => isAppPath(link) && pages.some((page) => page.test(link.split('?')[0]!))
  const payloads = (event: Event) =>
    samplesOf(event.payload).flatMap((sample: any) => {
      // A word of its own kind, where the schema says only that it is one.
      const payload = 'currency' in sample ? { ...sample, currency: 'usd' } : sample
      return 'feature' in payload ? features.map((feature) => ({ ...payload, feature })) : [payload]
    })
  const links = durableEvents().flatMap((event) =>
    payloads(event).flatMap((payload) =>
      [
        event.link?.(payload),
        ...(event.notice?.(payload, 'Operon') ?? []).map(({ link }) => link),
        event.email?.(payload, 'Operon')?.path,
        event.letter?.(payload, 'Operon')?.path,
      ]
        .filter((link) => link !== undefined && link !== null)
        .map((link) => ({ event: event.name, link })),
    ),
  )
  expect(links.filter(({ link }) => !opens(link))).toEqual([])
  const linked = new Set<string>(links.map(({ event }) => event))
  for (const event of ['ai-gateway.completion_finished', 'ai-gateway.comparison_finished', 'billing.payment_failed'])
    expect([event, linked.has(event)]).toEqual([event, true])
  expect(opens('/nowhere')).toBe(false)
})
