import type { Verification } from '@operon/kit/auth'
import { now } from '@operon/kit/clock'
import type { AuthCtx } from '../deps.ts'

/** What a verifier needs, and what was taken back within the life of a token. */
export async function verification(ctx: AuthCtx, _input: unknown): Promise<Verification> {
  const { keys, config } = ctx.deps
  const since = new Date(now() - config.AUTH_TOKEN_SECONDS * 1000)
  const [sessions, grants, users, factors, serviceTokens] = await Promise.all([
    ctx.db.selectFrom('sessions').select('id').where('revoked_at', '>', since).execute(),
    ctx.db.selectFrom('oauth_grants').select('id').where('revoked_at', '>', since).execute(),
    ctx.db
      .selectFrom('users')
      .select('id')
      .where((or) => or.or([or('banned_until', '>', new Date(now())), or('deleted_at', '>', since)]))
      .execute(),
    ctx.db
      .selectFrom('factors')
      .select(['user_id', 'updated_at'])
      .where('status', '=', 'verified')
      .where('updated_at', '>', since)
      .execute(),
    ctx.db.selectFrom('service_tokens').select('good_since').executeTakeFirst(),
  ])
  return {
    keys: keys.publicKeys,
    issuer: keys.issuer,
    revoked_sessions: [...sessions, ...grants].map(({ id }) => id),
    suspended_users: users.map(({ id }) => id),
    protected_users: factors.map(({ user_id, updated_at }) => ({ id: user_id, since: Math.floor(updated_at.getTime() / 1000) })),
    token_seconds: config.AUTH_TOKEN_SECONDS,
    ...(serviceTokens && { service_tokens_since: Math.ceil(serviceTokens.good_since.getTime() / 1000) }),
    at: now(),
  }
}
