import { callerAt, networkOf } from '@operon/kit/addresses'
import { signedIn } from '@operon/kit/context'
import { addressBlock } from '@operon/kit/mail/blocks'
import { waitOf } from '@operon/kit/mail/paces'
import type { AuthCtx } from './deps.ts'
import { refuse } from './deps.ts'
import { recipientPaces } from './mail/pacing.ts'

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
// A bucket of five that refills over a quarter of an hour gives ten guesses in any quarter at most.
const GUESSES = 5
const GUESSES_OF_ONE_CALLER = 3

export async function limitByAddress(ctx: AuthCtx, what: string, limit: number, windowMs = MINUTE): Promise<void> {
  const { ok, retryAfterMs } = await ctx.deps.rt.cache.take(`${what}:${callerAt(ctx.ip)}`, limit, windowMs)
  if (!ok) throw tooMany(retryAfterMs)
}

export async function limitByUser(ctx: AuthCtx, what: string, limit: number, windowMs = MINUTE): Promise<void> {
  const { ok, retryAfterMs } = await ctx.deps.rt.cache.take(`${what}:user:${signedIn(ctx).id}`, limit, windowMs)
  if (!ok) throw tooMany(retryAfterMs)
}

/** The purposes that GoTrue counts apart: a new password may be asked for right after signing up. */
export type MessageKind = 'confirmation' | 'recovery' | 'email_change' | 'phone_change' | 'reauthentication'

/**
 * How long a message to this address must wait, 0 when it may go at once. The same for addresses with and without an account. While too many
 * messages wait already it is refused.
 */
export async function mailDelayMs(ctx: AuthCtx, recipient: string, kind: MessageKind = 'confirmation'): Promise<number> {
  const { rt, config } = ctx.deps
  const isMail = recipient.includes('@')
  const what = isMail ? 'mail' : 'sms'
  const waitMs = await waitOf(rt.db, recipientPaces(config, recipient))
  if (waitMs > config.LIMIT_MESSAGE_WAIT_MINUTES * MINUTE) throw tooSoon(isMail, waitMs)
  const perHour = isMail ? config.LIMIT_MAIL_PER_HOUR : config.LIMIT_SMS_PER_HOUR
  const fromNetwork = isMail ? config.LIMIT_MAIL_FROM_NETWORK_PER_HOUR : config.LIMIT_SMS_FROM_NETWORK_PER_HOUR
  const { actor } = ctx
  const buckets: [key: string, limit: number, windowMs: number][] = [
    [`${what}:${recipient}`, perHour, 60 * MINUTE],
    ...(actor.kind === 'user' ? [[`${what}:account:${actor.id}`, perHour, 60 * MINUTE] as [string, number, number]] : []),
    ...(actor.kind === 'service'
      ? []
      : [[`${what}:network:${addressBlock(ctx.ip)}`, fromNetwork, 60 * MINUTE] as [string, number, number]]),
  ]
  const cooldownMs = config.LIMIT_MESSAGE_COOLDOWN_SECONDS * 1000
  if (cooldownMs) buckets.unshift([`${what}:${recipient}:${kind}`, 1, cooldownMs])
  let delayMs = 0
  for (const bucket of buckets) {
    const { ok, retryAfterMs } = await rt.cache.take(...bucket)
    if (!ok) delayMs = Math.max(delayMs, retryAfterMs, 1)
  }
  return delayMs
}

/** For what exists only to send a message: over the limit it is refused. */
export async function limitMail(ctx: AuthCtx, recipient: string, kind?: MessageKind): Promise<void> {
  const delayMs = await mailDelayMs(ctx, recipient, kind)
  if (delayMs) throw tooSoon(recipient.includes('@'), delayMs)
}

const tooSoon = (isMail: boolean, delayMs: number) =>
  refuse(
    429,
    isMail ? 'over_email_send_rate_limit' : 'over_sms_send_rate_limit',
    `For security purposes, you can only request this after ${Math.ceil(delayMs / 1000)} seconds.`,
    retryAfter(delayMs),
  )

/** For each secret that can be guessed: another way in, which wrong guesses do not lock. */
const secrets = {
  password: 'To sign in now, ask for a link by email',
  code: 'To sign in now, open the link in the email',
  factor: 'To sign in now, use a recovery code',
  'recovery-code': 'To sign in now, use the code of your authenticator',
  'current-password': 'Confirm with a code by email instead',
}

/**
 * Takes one guess at an account's secret. An address that the owner has signed in from has a bucket of its own. All others share one an
 * account, of which no caller gets more than a part: one stranger leaves room for the owner at a new address, and where many of them empty
 * it, the link in an email still opens the account. Returns how to give the guess back after a success.
 */
export async function takeGuess(
  ctx: AuthCtx,
  what: keyof typeof secrets,
  account: string,
  isFamiliar = false,
): Promise<() => Promise<void>> {
  const { cache } = ctx.deps.rt
  const common = `guess:${what}:${account}`
  const buckets: [key: string, guesses: number][] = isFamiliar
    ? [[`${common}:at:${networkOf(ctx.ip)}`, GUESSES]]
    : [
        [`${common}:from:${callerAt(ctx.ip)}`, GUESSES_OF_ONE_CALLER],
        [common, GUESSES],
      ]
  const taken: typeof buckets = []
  // A negative cost puts the guess back, and leaves those that strangers burned where they are.
  const giveBack = async () => {
    for (const [key, guesses] of taken) await cache.take(key, guesses, QUARTER, -1)
  }
  for (const bucket of buckets) {
    const { ok, retryAfterMs } = await cache.take(...bucket, QUARTER)
    if (!ok) {
      await giveBack()
      throw tooMany(retryAfterMs, `Too many attempts for this account. ${secrets[what]}.`)
    }
    taken.push(bucket)
  }
  return giveBack
}

const retryAfter = (ms: number) => ({ headers: { 'retry-after': String(Math.ceil(ms / 1000)) } })
function tooMany(retryAfterMs: number, why = 'Request rate limit reached.') {
  const seconds = Math.ceil(retryAfterMs / 1000)
  const message = `${why} Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  return refuse(429, 'over_request_rate_limit', message, retryAfter(retryAfterMs))
}
