import { generateKeyPairSync } from 'node:crypto'
import { type Env, SetupError } from '@operon/kit/config'
import { type Jwk, keysNow } from './kept.ts'
import { mintServiceRole, revokeServiceRole } from './service-role.ts'

/** `npm run keys`: the steps of a rotation, `service-role [days]` a token with the role, `revoke-service-role` the end of all of those. */
export async function keysCommand([command, days]: string[], env: Env): Promise<string> {
  if (command === undefined) return rotationSteps(env)
  if (command === 'service-role') return mintServiceRole(env, days)
  if (command === 'revoke-service-role') return revokeServiceRole(env)
  throw new SetupError(
    `${command}: not a command. There are service-role [days] and revoke-service-role; without one, the steps of a rotation`,
  )
}

/** The settings to change, in order, so that a new key signs the tokens and nobody has to sign in again. */
async function rotationSteps(env: Env): Promise<string> {
  const [old, next] = [await keysNow(env), newKey()]
  const set = (keys: Jwk[]) => `AUTH_JWK_SET='${JSON.stringify({ keys })}'`
  return `# 1. The new key is believed. Set this, restart every identity, and wait for a minute.
${set([...old, next])}

# 2. The new key signs. Set this, restart every identity, and wait until the last token of the old one has ended: an hour.
${set([next, ...old])}

# 3. The old key is not believed any more. Set this and restart every identity.
${set([next])}`
}

function newKey(): Jwk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), kid: crypto.randomUUID(), alg: 'ES256' }
}

// In a container, where the launchers are not: `docker compose exec identity node services/identity/src/keys/rotation.ts`.
if (import.meta.main)
  await keysCommand(process.argv.slice(2), process.env).then(console.log, (error) => {
    console.error(error instanceof SetupError ? error.message : error)
    process.exit(1)
  })
