import { inTurn } from '@operon/deploy/turn'
import { isDestructive, type Json, sample, sampleCall } from './document.ts'
import type { Attack, World } from './world.ts'

// S5: what no schema asks for, everywhere: no answer may be a crash, and every refusal must be one that a client can read.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  const me = await world.fresh('seller')
  const rounds = inTurn(Array.from({ length: world.short ? 6 : 60 })).length
  let tried = 0
  for (const operation of world.operations) {
    if (isDestructive(operation) || operation.path.startsWith('/sandbox')) continue
    const as =
      operation.access === 'service' ? await world.actor('service') : operation.access === 'staff' ? await world.actor('staff') : me
    for (let i = 0; i < rounds; i++) {
      const { path, body } = sampleCall(operation)
      const bad = badCall(world, operation, path, body)
      tried++
      const answer = await world
        .call(as, operation.method, bad.path, bad.body, bad.headers)
        .catch((error: Error) => ({ status: 0, text: String(error.cause ?? error), body: null }))
      // 501-504 say that a provider or a feature is not there: our own answer, not a crash.
      const crashed = answer.status === 500 || answer.status === 0
      if (crashed) findings.push(`${operation.name} ${bad.what}: ${answer.status} ${answer.text.slice(0, 160)}`)
      if (
        answer.status >= 400 &&
        answer.body === null &&
        answer.text &&
        !operation.page &&
        !/^(HEAD|GET) .*(files|sandbox|verify|authorize|callback)/.test(operation.name)
      )
        findings.push(`${operation.name} ${bad.what}: a ${answer.status} that is no JSON`)
    }
  }
  return { tried, findings }
}

const oddities: Json[] = [
  null,
  true,
  -1,
  0,
  Number.POSITIVE_INFINITY,
  Number('9007199254740993'),
  1.5,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '𝔘𝔫𝔦',
  '%00',
  "'; drop table users; --",
  '../../etc/passwd',
  '{{7*7}}',
  '\u202e',
  [],
  [[]],
  {},
  { toString: 1 },
  { __proto__: null, constructor: { prototype: {} } },
  'a'.repeat(70_000),
]

function badCall(
  world: World,
  operation: { path: string; body: Json; parameters: { name: string; in: string; schema: Json }[]; table: string | undefined },
  path: string,
  body: Json,
) {
  const pick = <T>(of: T[]): T => of[Math.floor(world.random() * of.length)]!
  const odd = pick(oddities)
  const way = pick(['field', 'field', 'whole', 'deep', 'type', 'cut', 'query', 'big'])
  const json = (value: Json) => ({
    path,
    body: value,
    headers: {} as Record<string, string>,
    what: `${way} ${JSON.stringify(value)?.slice(0, 80)}`,
  })
  if (way === 'query' || body === undefined) {
    const names = [
      ...operation.parameters.filter((each) => each.in === 'query').map((each) => each.name),
      'select',
      'order',
      'limit',
      'offset',
      'or',
      'and',
      'x',
    ]
    const name = pick(names)
    const value = pick([
      'eq.',
      'in.(',
      'in.()',
      '(a.eq.1',
      'not.not.eq.1',
      'like.%',
      'eq.\u0000',
      '*,*',
      'id::text',
      'count()',
      '-1',
      '99999999999999999999',
      'is.maybe',
      'a'.repeat(5000),
      '((((((((((',
      'id.desc.nullsmiddle',
    ])
    const url = new URL(path, 'http://x')
    url.searchParams.set(name, value)
    return { path: url.pathname + url.search, body, headers: {}, what: `query ${name}=${value.slice(0, 40)}` }
  }
  if (way === 'whole') return json(odd === undefined ? null : odd)
  if (way === 'deep') return json(JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`))
  if (way === 'type')
    return {
      path,
      body: JSON.stringify(body),
      headers: {
        'content-type': pick([
          'text/plain',
          'application/xml',
          'multipart/form-data; boundary=x',
          'application/json; charset=utf-16',
          'nonsense',
        ]),
      },
      what: 'another content type',
    }
  if (way === 'cut') return { path, body: JSON.stringify(body).slice(0, -1), headers: {}, what: 'cut JSON' }
  if (way === 'big')
    return { path, body: JSON.stringify({ ...body, filler: 'x'.repeat(1_200_000) }), headers: {}, what: 'a body of 1.2 MB' }
  const names = Object.keys(operation.body?.properties ?? {})
  const name = names.length ? pick(names) : 'x'
  return json({ ...(operation.body ? sample(operation.body) : {}), [name]: odd })
}
