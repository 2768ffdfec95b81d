import { databaseUrl, type Env, readKitConfig, SetupError } from '@operon/kit/config'
import { demandDatabase, openDatabase } from '@operon/kit/db'
import { Vault } from '@operon/kit/vault'
import type { Kysely } from 'kysely'
import type { IdentityDb } from '../schema.ts'

export type Jwk = Record<string, unknown>

/** The keys that a platform signs with, the signing one first. */
export async function keysNow(env: Env): Promise<Jwk[]> {
  if (env.AUTH_JWK_SET) return JSON.parse(env.AUTH_JWK_SET).keys
  return inDatabase(env, async (db, config) => {
    const vault = await Vault.open(config)
    const rows = await db.selectFrom('signing_keys').selectAll().orderBy('created_at', 'desc').execute()
    if (!rows.length) throw new SetupError('identity has no key yet: start it once')
    return rows.map(({ kid, alg, sealed_private }) => ({ ...JSON.parse(vault.open(sealed_private, `signing_keys:${kid}`)), kid, alg }))
  })
}

/** One look into identity's database, from a command. */
export async function inDatabase<T>(
  env: Env,
  run: (db: Kysely<IdentityDb>, config: ReturnType<typeof readKitConfig>) => Promise<T>,
): Promise<T> {
  const config = readKitConfig(env)
  const { db, url } = openDatabase<IdentityDb>(databaseUrl(config, env, 'identity'), 1, () => {})
  try {
    await demandDatabase({ db, url })
    return await run(db as unknown as Kysely<IdentityDb>, config)
  } finally {
    await db.destroy()
  }
}
