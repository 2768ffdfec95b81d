import { DomainError } from '@operon/kit/errors'
import Stripe from 'stripe'

// The meaning of each failure of the provider.

/** The provider is not reachable or has trouble of its own: what a later try may mend. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeConnectionError ||
  error instanceof Stripe.errors.StripeRateLimitError ||
  (error instanceof Stripe.errors.StripeAPIError && (error.statusCode ?? 500) >= 500) ||
  (error instanceof DomainError && error.status >= 500)

/** Nobody was asked: the provider has been away for a while and is left alone. */
export const isLeftAlone = (error: unknown): boolean => error instanceof DomainError && error.status >= 500

/** How a caller is told of an outage, whatever the sentence: the same request may do better in a moment. */
export const askAgain = { status: 503, headers: { 'retry-after': '5' } }

/** The provider looked at the request and said no; the same request will not do better. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError ||
  error instanceof Stripe.errors.StripeCardError ||
  error instanceof Stripe.errors.StripeIdempotencyError

const declineOf = (error: unknown): string | null => (error instanceof Stripe.errors.StripeCardError ? error.message : null)

/** Turns the provider's failure into one for the caller; any other error stays as it is. */
export function asDomainError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  if (error instanceof Stripe.errors.StripeCardError)
    return new DomainError('payment_declined', { status: 402, message: error.message, cause: error })
  if (isOutage(error)) return new DomainError('unavailable', { cause: error, ...askAgain })
  return new DomainError('upstream_failed', { cause: error })
}

/** For a caller who may see the provider's own words: staff, and sellers about their sales. */
export function refused(error: unknown): never {
  if (isRefusal(error)) throw new DomainError('conflict', { message: declineOf(error) ?? (error as Error).message, cause: error })
  throw error
}

/** The kind of refusal. */
export const refusalOf = (error: unknown): string => codeOf(error) ?? 'refused'

const codeOf = (error: unknown) => (error instanceof Stripe.errors.StripeError ? error.code : undefined)
export const isMissing = (error: unknown): boolean => codeOf(error) === 'resource_missing'
export function ignoreMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}
export const isCodeRefusal = (error: unknown): boolean => Boolean(codeOf(error)?.startsWith('promotion_code_'))
export function ignoreExisting(error: unknown): null {
  if (codeOf(error) === 'resource_already_exists') return null
  throw error
}
export function ignoreRefused(error: unknown): null {
  if (error instanceof Stripe.errors.StripeInvalidRequestError) return null
  throw error
}
