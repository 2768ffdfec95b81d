import { DomainError } from './errors.ts'

const API_VERSION = '2024-01-01'

/** An error in the codes and statuses that clients of the auth protocol know. */
export function asAuthError(error: DomainError): DomainError {
  const { code, details, headers, message } = error
  const as = (status: number, to: string, text: string) => new DomainError(to, { status, message: text, headers, cause: error })
  const reason = (details as { reason?: string } | undefined)?.reason
  if (code === 'not_authenticated' && reason === 'session_not_found')
    return as(403, reason, 'Session from session_id claim in JWT does not exist')
  if (code === 'not_authenticated' && reason === 'expired_jwt')
    return as(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired')
  if (code === 'not_authenticated' && reason) return as(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature')
  if (code === 'not_authenticated') return as(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  if (code === 'forbidden') return as(403, 'not_admin', 'User not allowed')
  if (code === 'rate_limited') return as(429, 'over_request_rate_limit', 'Request rate limit reached')
  const notAnId = code === 'invalid' && /^(\w+_id): Invalid UUID$/.exec(message)
  if (notAnId) return as(404, 'validation_failed', `${notAnId[1]} must be an UUID`)
  if (code === 'invalid') return as(error.status, isBadJson(error.cause) ? 'bad_json' : 'validation_failed', message)
  if (code === 'too_large') return as(413, 'request_entity_too_large', message)
  if (code === 'internal') return as(500, 'unexpected_failure', 'Unexpected failure, please check server logs for more information')
  return error
}

const isBadJson = (cause: unknown) =>
  cause instanceof SyntaxError || (cause as { code?: string } | undefined)?.code === 'FST_ERR_CTP_INVALID_JSON_BODY'

/** The body, by the API version that the client asked for; the header to echo comes with it. */
export function authErrorAnswer(
  error: DomainError,
  asked: string | undefined,
): { body: Record<string, unknown>; headers: Record<string, string> } {
  const { code, status, message, details } = error
  const more = typeof details === 'object' ? (details as object) : {}
  const dated = asked !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= API_VERSION
  const headers = { 'x-sb-error-code': code }
  if (dated) return { body: { code, message, ...more }, headers: { ...headers, 'x-supabase-api-version': API_VERSION } }
  return { body: { code: status, error_code: code, msg: message, ...more }, headers }
}
