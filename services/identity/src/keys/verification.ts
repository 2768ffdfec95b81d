import type { Verification } from '@operon/kit/auth'
import { now } from '@operon/kit/clock'
import { sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'

/** A message of the bus holds them beside everything else. */
const NAMED_AT_MOST = 10_000

/** Keys and settings for verifiers, and revocations within the life of a token. Tokens older than the oldest revocation listed have to be renewed. */
export async function verification(ctx: AuthCtx, _input: unknown): Promise<Verification> {
  const { keys, config } = ctx.deps
  const since = new Date(now() - config.AUTH_TOKEN_SECONDS * 1000)
  const [sessions, accounts, grants, users, factors, serviceTokens] = await Promise.all([
    ctx.db
      .selectFrom('sessions as s')
      .select(['id', 'revoked_at'])
      .where('revoked_at', '>', since)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('ended_sessions as e')
              .select('e.user_id')
              .whereRef('e.user_id', '=', 's.user_id')
              .whereRef('e.up_to', '>=', 's.id')
              .where('e.at', '>', since)
              .where(sql<boolean>`s.id is distinct from e.kept`),
          ),
        ),
      )
      .orderBy('revoked_at', 'desc')
      .limit(NAMED_AT_MOST)
      .execute(),
    ctx.db
      .selectFrom('ended_sessions')
      .selectAll()
      .where('at', '>', since)
      .orderBy('at', 'desc')
      .limit(NAMED_AT_MOST / 10)
      .execute(),
    ctx.db
      .selectFrom('oauth_grants')
      .select(['id', 'revoked_at'])
      .where('revoked_at', '>', since)
      .orderBy('revoked_at', 'desc')
      .limit(NAMED_AT_MOST)
      .execute(),
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
  // A full list leaves out older revocations.
  const oldest = (list: Date[], most: number) => (list.length < most ? [] : [list.at(-1)!.getTime()])
  const timesOf = (rows: { revoked_at: Date | null }[]) => rows.map((row) => row.revoked_at!)
  const unnamed = [
    ...oldest(timesOf(sessions), NAMED_AT_MOST),
    ...oldest(timesOf(grants), NAMED_AT_MOST),
    ...oldest(
      accounts.map(({ at }) => at),
      NAMED_AT_MOST / 10,
    ),
  ]
  return {
    keys: keys.publicKeys,
    issuer: keys.issuer,
    revoked_sessions: [...sessions, ...grants].map(({ id }) => id),
    ended_sessions: accounts.map(({ user_id, up_to, kept }) => ({ user_id, up_to, kept })),
    ...(unnamed.length && { renew_before: Math.ceil(Math.max(...unnamed) / 1000) }),
    suspended_users: users.map(({ id }) => id),
    protected_users: factors.map(({ user_id, updated_at }) => ({ id: user_id, since: Math.floor(updated_at.getTime() / 1000) })),
    token_seconds: config.AUTH_TOKEN_SECONDS,
    ...(serviceTokens && { service_tokens_since: Math.ceil(serviceTokens.good_since.getTime() / 1000) }),
    at: now(),
  }
}
