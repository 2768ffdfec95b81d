import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { SetupError } from '@operon/kit/config'
import type { Runtime } from '@operon/kit/service'
import type { PublicJwk } from '@operon/kit/tokens'
import { createSigner } from 'fast-jwt'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { IdentityConfig } from '../config.ts'
import type { IdentityDb } from '../schema.ts'

export type Keys = { publicKeys: PublicJwk[]; issuer: string; sign(claims: Record<string, unknown>): string }

const Jwk = z.looseObject({ kid: z.string().min(1), kty: z.enum(['EC', 'RSA']), alg: z.enum(['ES256', 'RS256']) })
const JwkSet = z.object({ keys: z.array(Jwk).min(1) })

/** The keys of AUTH_JWK_SET, else those of the database: made once, shared by every instance, private parts sealed. */
export async function loadKeys(rt: Runtime<IdentityDb, IdentityConfig>): Promise<Keys> {
  const set = rt.config.AUTH_JWK_SET ? broughtKeys(rt.config.AUTH_JWK_SET) : await keptKeys(rt)
  const signing = set.find((key) => typeof key.d === 'string')
  if (!signing) throw new SetupError('AUTH_JWK_SET: needs one key with its private part')
  const issuer = `${rt.kit.PUBLIC_URL}/auth/v1`
  const pem = createPrivateKey({ key: signing as JsonWebKey, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }) as string
  const sign = createSigner({ key: pem, algorithm: signing.alg, kid: signing.kid })
  return { publicKeys: set.map(publicPart), issuer, sign: (claims) => sign({ iss: issuer, ...claims }) }
}

function broughtKeys(text: string): z.output<typeof Jwk>[] {
  try {
    const { keys } = JwkSet.parse(JSON.parse(text))
    for (const key of keys) createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    return keys
  } catch {
    throw new SetupError('AUTH_JWK_SET: must be a JWK set of ES256 or RS256 keys, each with kid and alg')
  }
}

async function keptKeys(rt: Runtime<IdentityDb, IdentityConfig>): Promise<z.output<typeof Jwk>[]> {
  const db = rt.db as unknown as Kysely<IdentityDb>
  const rows = await db.transaction().execute(async (trx) => {
    // Two instances that start together make one key, not two.
    await sql`select pg_advisory_xact_lock(hashtext('identity.signing_keys'))`.execute(trx)
    const kept = await trx.selectFrom('signing_keys').selectAll().orderBy('created_at', 'desc').execute()
    if (kept.length) return kept
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = privateKey.export({ format: 'jwk' })
    const kid = crypto.randomUUID()
    const { d: _private, ...publicJwk } = { ...jwk, kid, alg: 'ES256', use: 'sig' }
    return [
      await trx
        .insertInto('signing_keys')
        .values({
          kid,
          alg: 'ES256',
          public_jwk: JSON.stringify(publicJwk),
          sealed_private: rt.vault.seal(JSON.stringify(jwk), `signing_keys:${kid}`),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    ]
  })
  return rows.map((row) =>
    Jwk.parse({ ...JSON.parse(rt.vault.open(row.sealed_private, `signing_keys:${row.kid}`)), kid: row.kid, alg: row.alg }),
  )
}

function publicPart(key: z.output<typeof Jwk>): PublicJwk {
  const jwk = createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).export({ format: 'jwk' })
  return { ...jwk, kid: key.kid, alg: key.alg, use: 'sig', key_ops: ['verify'] } as unknown as PublicJwk
}
