import { sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'
import { type Credential, checkAnswer, creationOptions, type Kept, notVerified, readNewKey, requestOptions } from '../passkeys/webauthn.ts'
import { noteFailedSignIn } from '../users/audit.ts'
import type { Db, FactorRow, Trx, User } from '../users/users.ts'

// A security key, or a device's own, as second factor. Unlike a passkey it need not be able to check who holds it.

/** A factor that is being added is asked to make its key, one that counts to use it. */
export async function askDevice(ctx: AuthCtx, user: User, factor: FactorRow) {
  const key = factor.status === 'verified' ? await keyOf(ctx.db, user.id, factor.id) : null
  const options = key ? await requestOptions(ctx.deps, key) : await creationOptions(ctx.deps, user, await keysOf(ctx.db, user.id), 'factor')
  const publicKey: Record<string, unknown> & { challenge: string } = { ...options }
  return { type: key ? ('request' as const) : ('create' as const), credential_options: { publicKey } }
}

export async function useDevice(trx: Trx, ctx: AuthCtx, factor: FactorRow, challenge: string, credential: Credential): Promise<void> {
  const mine = trx.updateTable('factors').where('id', '=', factor.id).where('user_id', '=', factor.user_id)
  try {
    if (factor.status !== 'verified') {
      const { public_key, ...key } = await readNewKey(ctx.deps, challenge, credential, false)
      const credentialText = JSON.stringify({ ...key, public_key: Buffer.from(public_key).toString('base64url') })
      await mine.set({ credential: credentialText }).execute()
      return
    }
    const key = await keyOf(trx, factor.user_id, factor.id)
    if (!key || credential.id !== key.credential_id) throw notVerified('it is another key')
    const counter = await checkAnswer(ctx.deps, challenge, credential, key, false)
    const used = await mine
      .set({ credential: sql`jsonb_set(credential, '{counter}', to_jsonb(${counter}::bigint))` })
      // A key that does not count stays at zero; of two uses at once one comes too late.
      .where(sql<boolean>`((credential->>'counter')::bigint < ${counter} or (credential->>'counter')::bigint = 0 and ${counter} = 0)`)
      .returning('id')
      .executeTakeFirst()
    if (!used) throw notVerified('it was used already')
  } catch (error) {
    void noteFailedSignIn(ctx, factor.user_id, 'second factor')
    throw error
  }
}

async function keyOf(db: Db, userId: string, factorId: string): Promise<Kept | null> {
  const row = await factorsWithKeys(db, userId).where('id', '=', factorId).executeTakeFirst()
  return row ? keptOf(row.credential!) : null
}

async function keysOf(db: Db, userId: string): Promise<Kept[]> {
  return (await factorsWithKeys(db, userId).execute()).map(({ credential }) => keptOf(credential!))
}

const factorsWithKeys = (db: Db, userId: string) =>
  db.selectFrom('factors').select('credential').where('user_id', '=', userId).where('credential', 'is not', null)

type Stored = Omit<Kept, 'public_key'> & { public_key: string }
const keptOf = (stored: Stored): Kept => ({ ...stored, public_key: Buffer.from(stored.public_key, 'base64url') })
