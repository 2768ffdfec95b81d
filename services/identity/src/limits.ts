import { signedIn } from '@operon/kit/context'
import type { AuthCtx } from './deps.ts'
import { refuse } from './deps.ts'

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
// A bucket of five that refills over a quarter of an hour gives ten guesses in any quarter at most.
const GUESSES = 5

export async function limitByAddress(ctx: AuthCtx, what: string, limit: number, windowMs = MINUTE): Promise<void> {
  const { ok, retryAfterMs } = await ctx.deps.rt.cache.take(`${what}:${ctx.ip}`, limit, windowMs)
  if (!ok) throw tooMany(retryAfterMs)
}

export async function limitByUser(ctx: AuthCtx, what: string, limit: number, windowMs = MINUTE): Promise<void> {
  const { ok, retryAfterMs } = await ctx.deps.rt.cache.take(`${what}:user:${signedIn(ctx).id}`, limit, windowMs)
  if (!ok) throw tooMany(retryAfterMs)
}

/** How long a mail to this address must wait, 0 when it may go at once. The same for addresses with and without an account. */
export async function mailDelayMs(ctx: AuthCtx, recipient: string): Promise<number> {
  const { ok, retryAfterMs } = await ctx.deps.rt.cache.take(`mail:${recipient}`, ctx.deps.config.LIMIT_MAIL_PER_HOUR, 60 * MINUTE)
  return ok ? 0 : Math.max(1, retryAfterMs)
}

/** For what exists only to send a mail: over the limit it is refused. */
export async function limitMail(ctx: AuthCtx, recipient: string, code = 'over_email_send_rate_limit'): Promise<void> {
  const delayMs = await mailDelayMs(ctx, recipient)
  if (delayMs)
    throw refuse(
      429,
      code,
      `For security purposes, you can only request this after ${Math.ceil(delayMs / 1000)} seconds.`,
      retryAfter(delayMs),
    )
}

/**
 * Takes one guess at an account's secret. Strangers share one bucket an account; an address that the owner has signed in from
 * has its own, so that a stranger who burns guesses locks nobody out. Returns how to give the guess back after a success.
 */
export async function takeGuess(ctx: AuthCtx, what: string, account: string, knownAddress = false): Promise<() => Promise<void>> {
  const key = knownAddress ? `guess:${what}:${account}:${ctx.ip}` : `guess:${what}:${account}`
  const { ok, retryAfterMs } = await ctx.deps.rt.cache.take(key, GUESSES, QUARTER)
  if (!ok) throw tooMany(retryAfterMs)
  // A negative cost puts the guess back, and leaves those that strangers burned where they are.
  return async () => void (await ctx.deps.rt.cache.take(key, GUESSES, QUARTER, -1))
}

const retryAfter = (ms: number) => ({ headers: { 'retry-after': String(Math.ceil(ms / 1000)) } })
export function tooMany(retryAfterMs: number) {
  const seconds = Math.ceil(retryAfterMs / 1000)
  const message = `Request rate limit reached. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  return refuse(429, 'over_request_rate_limit', message, retryAfter(retryAfterMs))
}
