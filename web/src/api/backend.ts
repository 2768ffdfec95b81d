import { errors, texts } from '@operon/contracts/messages'
import { AuthClient } from '@supabase/auth-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import { ApiError, publishableKey, readJson, request, unreached } from './http.ts'
import { storageKey } from './keys.ts'

// Loaded when a session may be needed; public pages do without it until then.

/** Its refresh before expiry and its back-off (200 ms, doubling) are the specified ones. */
export const auth = new AuthClient({
  url: `${location.origin}/auth/v1`,
  headers: { apikey: publishableKey, Authorization: `Bearer ${publishableKey}` },
  storageKey,
  flowType: 'implicit',
  detectSessionInUrl: true,
  persistSession: true,
  autoRefreshToken: true,
  fetch: (input, init) => (endedThere && String(input).includes('/logout') ? Promise.resolve(new Response()) : reach(input, init)),
})
let endedThere = false

/** The auth client shows what is thrown, or what stands in the answer: never a browser's or a proxy's own words. */
async function reach(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...asked).catch(() => {
    throw new Error(unreached)
  })
  if (response.ok || response.headers.get('content-type')?.includes('json')) return response
  return Response.json({ msg: errors.unavailable.message }, { status: response.status })
}

/** The server has ended this session by itself: this browser lets go of it, and has nobody to tell. */
export async function letGo() {
  endedThere = true
  await auth.signOut({ scope: 'local' }).finally(() => {
    endedThere = false
  })
}

/** The data API: `rest.from('leads').select()`. */
export const rest = new PostgrestClient(`${location.origin}/rest/v1`, {
  // Queries retry by themselves; twice over, an outage would take half a minute to show.
  retry: false,
  headers: { apikey: publishableKey },
  fetch: async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${(await accessToken()) ?? publishableKey}`)
    return fetch(input, { ...init, headers })
  },
})

export async function accessToken(): Promise<string | null> {
  const { data } = await auth.getSession()
  return data.session?.access_token ?? null
}

/** A signed-in request: streams, uploads, anything that is not a plain function call. */
export async function authed(path: string, init: RequestInit = {}): Promise<Response> {
  const token = await accessToken()
  if (!token) throw new ApiError(401, 'not_authenticated', texts.notAuthenticated)
  return request(path, { ...init, accessToken: token })
}

/** A named function as the signed-in user: `await call<Stats>('dashboard-stats')`. */
export async function call<T>(name: string, body: object = {}, init: RequestInit = {}): Promise<T> {
  return readJson<T>(await authed(`/functions/v1/${name}`, { method: 'POST', body: JSON.stringify(body), ...init }))
}

/** A data API answer or its error thrown, so that queries stay at the left margin. */
export async function rows<T>(
  query: PromiseLike<{ data: T | null; error: { message: string; code?: string } | null; status: number }>,
): Promise<T> {
  const { data, error, status } = await query
  if (error) throw new ApiError(status, error.code ?? String(status), status === 0 ? unreached : error.message)
  return data as T
}
