import { DomainError } from '@operon/kit/errors'

/** A refusal in OAuth's own words; the routes write it as `{ error, error_description }`. */
export const oauthError = (code: string, message: string, status = 400) => new DomainError(code, { status, message })
