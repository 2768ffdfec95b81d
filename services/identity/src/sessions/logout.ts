import { isHalfSignedIn } from '@operon/kit/access'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { type AuthCtx, invalid } from '../deps.ts'
import { audit } from '../users/audit.ts'
import { currentUser, type Trx } from '../users/users.ts'
import { announceRevoked, endSessions } from './sessions.ts'

export async function logOut(ctx: AuthCtx, { scope }: { scope?: string | null | undefined }): Promise<void> {
  if (scope && !['global', 'local', 'others'].includes(scope)) throw invalid(`Unsupported logout scope "${scope}"`)
  const { user, session } = await currentUser(ctx)
  // A password alone, where the account has a second factor, ends nobody's session but its own.
  const isHalf = isHalfSignedIn(ctx.actor)
  if (isHalf && scope === 'others') throw new DomainError('insufficient_aal')
  const which = scope === 'local' || isHalf ? { only: session.id } : scope === 'others' ? { except: session.id } : {}
  const ended = await inTransaction(ctx.db, async (trx: Trx) => {
    await audit(trx, ctx, user.id, 'logout', { scope: scope ?? 'global' })
    return endSessions(trx, user.id, which)
  })
  await announceRevoked(ctx.deps, ended)
}
