import { accessReset } from '@operon/contracts/identity/events'
import { publish } from '@operon/kit/tx'
import type { z } from 'zod'
import { endKeys } from '../api-keys/api-keys.ts'
import type { AuthCtx } from '../deps.ts'
import { endGrants } from '../oauth-server/tokens.ts'
import type { Trx } from '../users/users.ts'

/** The owner took the account back: every passkey and all that was handed out to call with ends, and other services are told. */
export async function resetAccess(trx: Trx, ctx: AuthCtx, userId: string, reason: z.output<typeof accessReset.payload>['reason']) {
  await trx.deleteFrom('passkeys').where('user_id', '=', userId).execute()
  await endKeys(trx, ctx, userId)
  await endGrants(trx, ctx, userId)
  await publish(trx, accessReset, userId, { reason })
}
