import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import type { Claim } from '../schema.ts'
import { termsIn } from '../users/terms.ts'
import type { Trx, User, UserJson } from '../users/users.ts'

const ANSWER_STEP_MS = 100

/** A stop-watch that ends at the next full step. */
export function inSteps(): () => Promise<void> {
  const began = performance.now()
  return async () => {
    const spent = performance.now() - began
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(spent / ANSWER_STEP_MS) * ANSWER_STEP_MS - spent))
  }
}

/** For an address that has an account the same is done and undone: on a busy machine its absence would take visibly less. */
export async function andUndo(taken: boolean, trx: Trx, ask: () => Promise<string>): Promise<string> {
  await sql`savepoint asked`.execute(trx)
  const userId = await ask()
  await sql.raw(taken ? 'rollback to savepoint asked' : 'release savepoint asked').execute(trx)
  return userId
}

/** A staff address keeps no password that came before its proof: somebody else's would open the staff pages. */
export const claimOf = (known: User | null, password_hash: string, data: Record<string, unknown>, isStaff = false): Claim => ({
  password_hash,
  data,
  ...((known?.password_hash || isStaff) && { rival: true }),
})

/**
 * Until somebody proves the address, the account shows what the newest sign-up said. One that is in use by another way keeps its password: its
 * address is only typed, and a stranger may type it as well.
 */
export async function beginAnew(trx: Trx, userId: string, passwordHash: string, data: Record<string, unknown>): Promise<void> {
  await trx
    .updateTable('users')
    .set({
      password_hash: passwordHash,
      user_metadata: JSON.stringify(data),
      terms_version: null,
      terms_accepted_at: null,
      ...termsIn(data),
    })
    .where('id', '=', userId)
    .where('email_confirmed_at', 'is', null)
    .where('phone_confirmed_at', 'is', null)
    .where('last_sign_in_at', 'is', null)
    .execute()
}

/** The letter that is out still opens the account while the next one waits; two sign-ups stand behind it, so its password is nobody's. */
export async function doubtLetter(trx: Trx, userId: string): Promise<void> {
  await trx
    .updateTable('one_time_tokens')
    .set({ claim: sql`claim || '{"rival": true}'` })
    .where('user_id', '=', userId)
    .where('type', '=', 'confirmation')
    .execute()
}

type Address = { provider: 'email' | 'phone'; email: string; phone: string }

/** A new account as it looks from outside: made from the request alone, so that a new address cannot be told from a known one. */
export function unconfirmed(id: string, { provider, email, phone }: Address, data: Record<string, unknown>): UserJson {
  const at = new Date().toISOString()
  const address = provider === 'email' ? { email } : { phone }
  const identity_data = { ...data, sub: id, ...address, email_verified: false, phone_verified: false }
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone,
    confirmation_sent_at: at,
    app_metadata: { provider, providers: [provider] },
    user_metadata: data,
    identities: [
      {
        identity_id: newId(),
        id,
        user_id: id,
        identity_data,
        provider,
        last_sign_in_at: at,
        created_at: at,
        updated_at: at,
        ...(email && { email }),
      },
    ],
    created_at: at,
    updated_at: at,
    is_anonymous: false,
  }
}
