import { errors, texts } from '@operon/contracts/messages'
import { AuthClient } from '@supabase/auth-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import { isAdmitted } from './arrival.ts'
import { ApiError, offline, publishableKey, request, unreached } from './http.ts'
import { storageKey } from './keys.ts'
import { type Ended, expectEnd, sessionNow } from './session.ts'

// Loaded when a session may be needed; public pages do without it until then.

/** Its refresh before expiry and its back-off (200 ms, doubling) are the specified ones. */
export const auth = new AuthClient({
  url: `${location.origin}/auth/v1`,
  headers: { apikey: publishableKey, Authorization: `Bearer ${publishableKey}` },
  storageKey,
  flowType: 'implicit',
  detectSessionInUrl: isAdmitted,
  persistSession: true,
  autoRefreshToken: true,
  fetch: (input, init) => (endedThere && String(input).includes('/logout') ? Promise.resolve(new Response()) : reach(input, init)),
})
let endedThere = false

/** The auth client shows what is thrown, or what stands in the answer: never a browser's or a proxy's own words. */
async function reach(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...asked).catch(() => {
    throw new Error(navigator.onLine ? unreached : offline)
  })
  if (response.status >= 400 && response.status < 500) void hearRefusal(asked, response)
  if (response.ok || response.headers.get('content-type')?.includes('json')) return response
  return Response.json({ msg: errors.unavailable.message }, { status: response.status })
}

/** A refused refresh is the end of the session. A session that is not found is asked about once more, by a refresh. */
async function hearRefusal([input, init]: Parameters<typeof fetch>, response: Response): Promise<void> {
  if (response.status === 429) return
  if (String(input).includes('grant_type=refresh_token')) {
    const kept = stored()
    // Another tab may have a newer session by now.
    if (kept && kept.refresh_token === JSON.parse(String(init?.body)).refresh_token) await letGo(whyOver(kept.expires_at))
    return
  }
  // The body names the code differently by API version; the header is the same in each.
  const code = response.headers.get('x-sb-error-code')
  if ((response.status === 401 || code === 'session_not_found' || code === 'bad_jwt') && stored()) await auth.refreshSession()
}

type Stored = { refresh_token: string; expires_at: number }
const stored = (): Stored | null => JSON.parse(localStorage.getItem(storageKey) ?? 'null')

const forgottenAfterMs = 30 * 86_400_000
const whyOver = (expiresAt: number): Ended => (Date.now() - expiresAt * 1000 > forgottenAfterMs ? 'expired' : 'elsewhere')

/** The server has ended this session by itself: this browser lets go of it, and has nobody to tell. */
export async function letGo(why: Ended | 'own') {
  expectEnd(why)
  endedThere = true
  await auth.signOut({ scope: 'local' }).finally(() => {
    endedThere = false
  })
}

/** Another access token for one that was refused; null where the session is over. That is said at sign-in. */
export async function renewed(refused: string): Promise<string | null> {
  const token = await accessToken()
  if (token !== refused) return token
  const { data } = await auth.refreshSession()
  return data.session?.access_token ?? null
}

/** The data API: `rest.from('leads').select()`. */
export const rest = new PostgrestClient(`${location.origin}/rest/v1`, {
  // Queries retry by themselves; twice over, an outage would take half a minute to show.
  retry: false,
  headers: { apikey: publishableKey },
  fetch: async (input, init) => {
    const headers = new Headers(init?.headers)
    const as = (token: string) => {
      headers.set('authorization', `Bearer ${token}`)
      return fetch(input, { ...init, headers })
    }
    const token = await accessToken()
    const response = await as(token ?? publishableKey)
    const next = token && response.status === 401 ? await renewed(token) : null
    return next ? as(next) : response
  },
})

export async function accessToken(): Promise<string | null> {
  if (sessionNow().takenBy) throw new ApiError(409, 'other_account', 'Another account is signed in in this browser now. Reload this page.')
  const { data } = await auth.getSession()
  return data.session?.access_token ?? null
}

/** A signed-in request: streams, uploads, anything that is not a plain function call. */
export async function authed(path: string, init: RequestInit = {}): Promise<Response> {
  const token = await accessToken()
  if (!token) throw new ApiError(401, 'not_authenticated', texts.notAuthenticated)
  return request(path, { ...init, accessToken: token }).catch(async (error: ApiError) => {
    const next = error.status === 401 ? await renewed(token) : null
    if (!next) throw error
    return request(path, { ...init, accessToken: next })
  })
}

/** A data API answer or its error thrown, so that queries stay at the left margin. */
export async function rows<T>(
  query: PromiseLike<{ data: T | null; error: { message: string; code?: string } | null; status: number }>,
): Promise<T> {
  const { data, error, status } = await query
  if (error)
    throw new ApiError(status, error.code ?? String(status), status === 0 ? (navigator.onLine ? unreached : offline) : error.message)
  return data as T
}
