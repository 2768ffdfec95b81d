import { generateKeyPairSync } from 'node:crypto'
import { databaseUrl, type Env, readKitConfig, SetupError } from '@operon/kit/config'
import { demandDatabase, openDatabase } from '@operon/kit/db'
import { Vault } from '@operon/kit/vault'
import type { IdentityDb } from '../schema.ts'

type Jwk = Record<string, unknown>

/** What to set, one after the other, so that a new key signs the tokens and nobody has to sign in again. */
export async function rotationSteps(env: Env): Promise<string> {
  const [old, next] = [await keysNow(env), newKey()]
  const set = (keys: Jwk[]) => `AUTH_JWK_SET='${JSON.stringify({ keys })}'`
  return `# 1. The new key is believed. Set this, restart every identity, and wait for a minute.
${set([...old, next])}

# 2. The new key signs. Set this, restart every identity, and wait until the last token of the old one has ended: an hour.
${set([next, ...old])}

# 3. The old key is not believed any more. Set this and restart every identity.
${set([next])}`
}

async function keysNow(env: Env): Promise<Jwk[]> {
  if (env.AUTH_JWK_SET) return JSON.parse(env.AUTH_JWK_SET).keys
  const config = readKitConfig(env)
  const vault = await Vault.open(config)
  const { db, url } = openDatabase<IdentityDb>(databaseUrl(config, env, 'identity'), 1, () => {})
  try {
    await demandDatabase({ db, url })
    const rows = await db.selectFrom('signing_keys').selectAll().orderBy('created_at', 'desc').execute()
    if (!rows.length) throw new SetupError('identity has no key yet: start it once')
    return rows.map(({ kid, alg, sealed_private }) => ({ ...JSON.parse(vault.open(sealed_private, `signing_keys:${kid}`)), kid, alg }))
  } finally {
    await db.destroy()
  }
}

function newKey(): Jwk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), kid: crypto.randomUUID(), alg: 'ES256' }
}

// In a container, where the launchers are not: `docker compose exec identity node services/identity/src/keys/rotation.ts`.
if (import.meta.main)
  await rotationSteps(process.env).then(console.log, (error) => {
    console.error(error instanceof SetupError ? error.message : error)
    process.exit(1)
  })
