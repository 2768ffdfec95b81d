import { createHash, randomBytes } from 'node:crypto'
import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/custom'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { CUSTOM, tokenCall } from '../apps/custom.ts'
import { placesFor } from '../apps/place.ts'
import { type Connecting, keepAttempt, redirectOf, takeAttempt } from '../connections/connect.ts'
import { seal, unseal } from '../connections/keep.ts'
import { lifeOf, mint, NotGranted } from '../connections/tokens.ts'
import type { IntegrationsDb } from '../schema.ts'
import { apiOf } from './apis.ts'

type Call = Ctx<IntegrationsDb>
type Kept = { verifier: string; connection: string }

/** Where the person approves: the API's own page, with a state that belongs to them and a challenge that only we can answer. */
export async function beginSignIn(ctx: Call, { connection_id }: Input<typeof api.beginCustomSignIn>, at: Connecting) {
  const { row } = await apiOf(ctx, connection_id)
  const { fields = {} } = unseal(at.vault, row.id, row.sealed!)
  if (fields.auth !== 'signin') throw new DomainError('app_action_unknown', { message: 'This API takes a key, not a sign-in.' })
  const verifier = randomBytes(32).toString('base64url')
  const kept: Kept = { verifier, connection: row.id }
  const state = await keepAttempt(ctx, at.vault, { app: CUSTOM, secret: JSON.stringify(kept), sandbox: false, returnTo: undefined })
  const url = new URL(fields.authorize_url!)
  const asked = {
    ...{ client_id: fields.client_id!, redirect_uri: redirectOf(at.kit.PUBLIC_URL, CUSTOM), response_type: 'code', state },
    ...(fields.scope && { scope: fields.scope }),
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return { auth_url: url.href }
}

export async function finishSignIn(ctx: Call, { state, code, error }: Input<typeof api.finishCustomSignIn>, at: Connecting) {
  const attempt = await takeAttempt(ctx, at.vault, state, true)
  if (!code) throw new DomainError(error === 'access_denied' ? 'connection_denied' : 'connection_refused')
  const { verifier, connection } = JSON.parse(attempt.secret!) as Kept
  const { row } = await apiOf(ctx, connection)
  const held = unseal(at.vault, row.id, row.sealed!)
  const { fields = {} } = held
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectOf(at.kit.PUBLIC_URL, CUSTOM), code_verifier: verifier }
  const place = at.places.at(CUSTOM, false)!
  const granted = await mint(placesFor(at.places, CUSTOM), place, tokenCall(fields, form), held).catch((thrown: unknown) => {
    if (thrown instanceof NotGranted)
      throw new DomainError('connection_refused', { message: `It answered: ${thrown.message.slice(0, 200)}`, cause: thrown })
    throw thrown
  })
  await inTransaction(ctx.db, async (trx) => {
    await trx
      .updateTable('connections')
      .set({
        ...lifeOf(granted.seconds),
        ...{ sealed: seal(at.vault, row.id, granted.held), generation: sql`generation + 1` },
        ...{ state: 'connected' as const, failure: null, lease_until: null, checked_at: sql<Date>`now()`, updated_at: sql<Date>`now()` },
      })
      .where('id', '=', row.id)
      .where('user_id', '=', signedIn(ctx).id)
      .where('state', '<>', 'disconnected')
      .execute()
  })
  return { connection_id: row.id, name: row.account }
}
