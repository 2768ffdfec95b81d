import { errors } from '@operon/contracts/messages'

export const publishableKey = 'anon'
export const offline = 'You are offline. Try again when your connection is back.'
export const unreached = 'The server could not be reached. Check your connection and try again.'

/** A refused or failed call, in the words to show. Status 0: the server was not reached. */
export class ApiError extends Error {
  status: number
  code: string
  requestId?: string
  details?: Record<string, unknown>
  constructor(status: number, code: string, message: string, requestId?: string, details?: Record<string, unknown>) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.details = details
  }
}

/** Every call to the gateway. `accessToken` null is a signed-out call. */
export async function request(path: string, init: RequestInit & { accessToken?: string | null } = {}): Promise<Response> {
  const { accessToken, headers, ...rest } = init
  const response = await fetch(path, {
    ...rest,
    headers: {
      apikey: publishableKey,
      ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
      ...(rest.body && !(rest.body instanceof FormData) ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
  }).catch((error: unknown) => {
    // A call that the person stopped is not reported as a failure.
    if (rest.signal?.aborted) throw error
    throw new ApiError(0, 'offline', navigator.onLine ? unreached : offline)
  })
  if (!response.ok) throw await toError(response)
  return response
}

export async function readJson<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T
  if (!response.headers.get('content-type')?.includes('json')) throw new ApiError(503, 'unavailable', errors.unavailable.message)
  return response.json()
}

async function toError(response: Response) {
  const body = await response.json().catch(() => ({}))
  const message = body.detail ?? body.message ?? body.msg ?? body.error_description ?? body.title ?? fallback(response.status)
  return new ApiError(
    response.status,
    body.code ?? body.error_code ?? String(response.status),
    message,
    body.request_id ?? response.headers.get('x-request-id') ?? undefined,
    body.details ?? undefined,
  )
}

function fallback(status: number) {
  if (status === 401) return errors.not_authenticated.message
  if (status === 429) return errors.rate_limited.message
  if (status === 404 || status === 405 || status === 502 || status === 503 || status === 504) return errors.unavailable.message
  return errors.internal.message
}
