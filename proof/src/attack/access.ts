import { inTurn } from '@operon/deploy/turn'
import { isDestructive, type Operation, sampleCall, undeclaredFields } from './document.ts'
import { isHalfRefused } from './half-signed-in.ts'
import type { Actor, ActorKind, Answer, Attack } from './world.ts'

const kinds: ActorKind[] = [
  'anonymous',
  'buyer',
  'seller',
  'other seller',
  'expired',
  'suspended',
  'staff',
  'half staff',
  'half signed in',
  'service',
]

// S1: every route as every kind of caller against what its contract declares. Beside it S4: no answer holds a field that its schema does not
// name, nor a secret.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  const said: string[] = []
  let tried = 0
  const due = new Set(inTurn(world.operations.flatMap((operation) => kinds.map((kind) => `${operation.name} as ${kind}`))))
  for (const operation of world.operations) {
    if (!operation.access) findings.push(`${operation.name} declares no access`)
    await Promise.all(kinds.filter((kind) => due.has(`${operation.name} as ${kind}`)).map((kind) => tryAs(kind, operation)))
  }
  return { tried, findings, beside: { S4: { tried, findings: said } } }

  async function tryAs(kind: ActorKind, operation: Operation) {
    const actor = isDestructive(operation) ? await world.fresh(kind) : await world.actor(kind)
    const { path, body } = sampleCall(operation)
    const answer = await world.call(actor, operation.method, path, body)
    tried++
    const wrong = mismatch(operation, actor, answer)
    if (wrong) findings.push(`${operation.name} as ${kind}: ${wrong}`)
    if (answer.status < 300 && operation.reply)
      for (const field of undeclaredFields(operation.reply, answer.body))
        said.push(`${operation.name} as ${kind}: answers ${field}, which its schema does not name`)
    const secret = secretIn(operation.path, answer)
    if (secret) said.push(`${operation.name} as ${kind}: answers ${secret}`)
  }
}

function mismatch(operation: Operation, { kind }: Actor, answer: Answer): string | null {
  const { access, path, halfSignedIn, resource } = operation
  const { status, body, text } = answer
  if (status >= 500 && ![501, 502, 503, 504].includes(status)) return `answered ${status}: ${text.slice(0, 120)}`
  const refused =
    status === 401 ||
    (status === 403 &&
      ['forbidden', 'not_admin', 'no_authorization', 'bad_jwt', '42501'].includes(body?.code ?? body?.error_code ?? body?.error?.code))
  // S25 says which those are that let them in.
  if (kind === 'half staff' || kind === 'half signed in') {
    if (access === 'public' || status === 401 || isHalfRefused(operation, answer)) return null
    return halfSignedIn ? null : `was let in with ${status}`
  }
  // Only what was made for it opens a resource: no session does, and no service key.
  if (resource) return status === 401 ? null : `was let in with ${status}`
  const must = mayCall(access, kind)
  if (must === null) return null
  if (must && refused && !refusesByItself(path)) return `was refused with ${status}: ${text.slice(0, 120)}`
  if (!must && status !== 401 && status !== 403) return `was let in with ${status}`
  return null
}

/** Null where the contract leaves it open. */
function mayCall(access: string | undefined, kind: ActorKind): boolean | null {
  if (access === 'public') return kind === 'expired' || kind === 'suspended' ? null : true
  if (kind === 'anonymous' || kind === 'expired' || kind === 'suspended') return false
  if (access === 'service') return kind === 'service'
  if (access === 'staff') return kind === 'staff' || kind === 'service'
  return kind !== 'service'
}

/** Signing in with wrong words, unsigned webhooks and another site's form are refused though anybody may try, as is choosing a plan, in the specification's own words; a table's writes may be refused row by row. */
const refusesByItself = (path: string) =>
  /\/auth\/v1\/(token|verify|authorize|callback|otp|magiclink|sso)|\/webhooks\/|\/files\/|demo-sign-in|buy-now|create-checkout|customer-portal|\/rest\/v1\//.test(
    path,
  )

const secrets: [string, RegExp][] = [
  ['a password hash', /\$argon2|\$2[aby]\$/],
  ['a private key', /-----BEGIN|"d":"[\w-]{40,}/],
  ['a sealed value', /\bv1\.[\w-]{8}\.[\w-]{60,}\./],
  ['a provider key', /\b(sk_(live|test)|whsec)_\w{8,}/],
  ['a stack', /\bat .+\.ts:\d+:\d+/],
]
function secretIn(path: string, { text }: Answer): string | null {
  if (path.startsWith('/sandbox')) return null
  return secrets.find(([, pattern]) => pattern.test(text))?.[0] ?? null
}
