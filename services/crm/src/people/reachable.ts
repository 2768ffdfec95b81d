import { type Ctx, signedIn, type UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'

/** For what emails addresses that somebody else names: an account without an address of its own is made in a second, and as often as one likes. */
export function reachable(ctx: Pick<Ctx, 'actor'>): UserActor {
  const user = signedIn(ctx)
  if (user.anonymous) throw new DomainError('anonymous_no_letters')
  return user
}
