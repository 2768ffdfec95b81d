import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { serviceNames } from '@operon/contracts/services'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** Each is megabytes of every process that loads it, and most processes never come to need it. */
const AT_FIRST_USE = [
  '@simplewebauthn/server',
  'undici',
  'nodemailer',
  'file-type',
  'qrcode',
  '@aws-sdk/client-s3',
  '@opentelemetry/exporter-trace-otlp-http',
]
/** Where it is in use from the first call on. */
const FROM_THE_START: Record<string, string[]> = { undici: ['ai-gateway'] }

const script = `
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({ load: (url, context, next) => (loaded.add(url.replaceAll('+', '/')), next(url, context)) })
  const found = {}
  for (const [name, path] of JSON.parse(process.argv[1])) {
    loaded.clear()
    await import(path)
    found[name] = [...loaded].map((url) => /\\.pnpm\\/(@?[^@]+)@/.exec(url)?.[1]).filter(Boolean)
  }
  console.log(JSON.stringify(Object.fromEntries(Object.entries(found).map(([name, all]) => [name, [...new Set(all)]]))))
  process.exit()`

function loadedBy(modules: [name: string, path: string][]): Record<string, string[]> {
  const input = JSON.stringify(modules.map(([name, path]) => [name, join(root, path)]))
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script, input], { cwd: root, encoding: 'utf8' }))
}

test('a service at rest has loaded what every one needs; what few calls need is loaded by the first of them', () => {
  // Together in one process, so that what several share is loaded once: none of it may be there at all.
  const services = serviceNames.filter((name) => name !== 'sandbox')
  const paths = services.toSorted((a, b) => Number(a === 'ai-gateway') - Number(b === 'ai-gateway'))
  const found = loadedBy(paths.map((name) => [name, `services/${name}/src/service.ts`]))
  expect(Object.values(found).flat()).toContain('kysely')
  const early = Object.entries(found).flatMap(([name, packages]) =>
    AT_FIRST_USE.filter((each) => packages.includes(each) && !FROM_THE_START[each]?.includes(name)).map((each) => `${name} loads ${each}`),
  )
  expect(early).toEqual([])
}, 120_000)

test('the gateway, which has no jobs and no database, loads no queue', () => {
  const modules: [string, string][] = ['gateway/src/gateway.ts', 'libs/kit/src/open.ts', 'libs/kit/src/service.ts'].map((path) => [
    path,
    path,
  ])
  const loaded = Object.values(loadedBy(modules)).flat()
  expect(loaded).toContain('zod')
  expect(loaded).not.toContain('bullmq')
}, 120_000)
