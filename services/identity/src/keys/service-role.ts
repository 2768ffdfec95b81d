import { createPrivateKey, type JsonWebKey } from 'node:crypto'
import { type Env, readKitConfig, SetupError } from '@operon/kit/config'
import { createSigner } from 'fast-jwt'
import { inDatabase, keysNow } from './kept.ts'

const DAY_S = 86_400

/** A classic service_role token: it opens what the service key opens, for clients that expect a token there. Valid for a year unless told otherwise. */
export async function mintServiceRole(env: Env, days = '365'): Promise<string> {
  const lifeDays = Number(days)
  if (!Number.isInteger(lifeDays) || lifeDays < 1 || lifeDays > 3650)
    throw new SetupError(`${days}: must be a number of days from 1 to 3650`)
  const signing = (await keysNow(env)).find((key) => typeof key.d === 'string')
  if (!signing) throw new SetupError('AUTH_JWK_SET: needs one key with its private part')
  const key = createPrivateKey({ key: signing as JsonWebKey, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }) as string
  const sign = createSigner({ key, algorithm: signing.alg as 'ES256', kid: signing.kid as string })
  const iat = Math.floor(Date.now() / 1000)
  return sign({ iss: `${readKitConfig(env).PUBLIC_URL}/auth/v1`, role: 'service_role', iat, exp: iat + lifeDays * DAY_S })
}

/** Ends every service_role token from before this second. Services hear of it within a minute. */
export async function revokeServiceRole(env: Env): Promise<string> {
  const good_since = new Date()
  await inDatabase(env, (db) =>
    db
      .insertInto('service_tokens')
      .values({ good_since })
      .onConflict((conflict) => conflict.column('one').doUpdateSet({ good_since }))
      .execute(),
  )
  return 'Every service_role token from before now ends within a minute. Make a new one with: npm run keys -- service-role'
}
