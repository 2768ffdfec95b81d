import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import { z } from 'zod'
import type { AuthCtx } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { oauthError } from './errors.ts'

const NEVER = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'ws:', 'wss:', 'ftp:'])
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Registered by nobody in particular, so bounded; those without a grant go after a day. */
const MAX_UNUSED = 20_000

const Registration = z.object({
  redirect_uris: z.array(z.string().max(500)).min(1).max(5),
  client_name: z.string().max(200).nullish(),
  client_uri: z.string().max(500).nullish(),
})

/** An app registers itself. It gets no secret: a code is worth nothing without the verifier that began it. */
export async function registerClient(ctx: AuthCtx, body: unknown) {
  await limitByAddress(ctx, 'oauth-register', ctx.deps.config.LIMIT_APPS_PER_MINUTE)
  const given = Registration.safeParse(body)
  if (!given.success) throw oauthError('invalid_client_metadata', 'Send redirect_uris, one to five addresses.')
  const { redirect_uris } = given.data
  if (!redirect_uris.every(mayRedirectTo))
    throw oauthError(
      'invalid_redirect_uri',
      'A redirect address is https, http on this machine, or an app’s own scheme, without a fragment.',
    )
  const uri =
    given.data.client_uri && /^https:\/\//.test(given.data.client_uri) && URL.canParse(given.data.client_uri) ? given.data.client_uri : ''
  const client = { id: newId(), name: cleanName(given.data.client_name) || new URL(redirect_uris[0]!).host || 'An app', uri, redirect_uris }
  const { rows } = await sql`
    insert into oauth_clients (id, name, uri, redirect_uris)
    select ${client.id}, ${client.name}, ${uri}, ${redirect_uris}
    where (select count(*) from (select from oauth_clients where used_at is null limit ${MAX_UNUSED}) unused) < ${MAX_UNUSED}
    returning 1`.execute(ctx.db)
  if (rows.length === 0) throw oauthError('temporarily_unavailable', 'Too many apps registered today. Try again tomorrow.', 429)
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name: client.name,
    client_uri: uri || undefined,
    redirect_uris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

/** A stranger's name for their app is shown to people: one line, no control or direction marks. */
const cleanName = (name: string | null | undefined) =>
  (name ?? '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 80)

function mayRedirectTo(address: string): boolean {
  if (!URL.canParse(address) || address.includes('#')) return false
  const { protocol, hostname, username, password } = new URL(address)
  if (username || password || NEVER.has(protocol)) return false
  return protocol !== 'http:' || LOOPBACK.has(hostname)
}

/** The address as it was registered. On a person's own machine the port is chosen when the app runs (RFC 8252, 7.3). */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true
  if (!URL.canParse(asked) || !mayRedirectTo(asked)) return false
  const url = new URL(asked)
  if (url.protocol !== 'http:') return false
  return registered.some((each) => {
    const known = new URL(each)
    return known.protocol === 'http:' && known.hostname === url.hostname && known.pathname === url.pathname && known.search === url.search
  })
}
