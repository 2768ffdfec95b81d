import type { Input } from '@operon/contracts/contract'
import * as auth from '@operon/contracts/identity/auth'
import type { DomainError } from '@operon/kit/errors'
import type { sendPage } from '@operon/kit/page'
import type { AuthCtx } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { checkStrength } from '../passwords/strength.ts'
import { findUser, type User } from '../users/users.ts'
import { lookAtToken, type Redeemed } from './one-time.ts'
import { followLink, type Led, linkExpired, readLink, verifyLink, withError } from './verify.ts'

type Page = Parameters<typeof sendPage>[1]
export type Shown = { page: Page; leadsTo: string; status?: number }
type Link = Input<typeof auth.verifyLink>

/** A link of a letter, opened. Mail scanners open links too, so it shows a page and changes nothing; a link that is no longer good leads on. */
export async function openLink(ctx: AuthCtx, input: Link): Promise<Shown | Led> {
  if (!ctx.deps.config.AUTH_LINK_PAGE) return verifyLink(ctx, input)
  const { target, pkce } = readLink(ctx, input)
  try {
    await limitByAddress(ctx, 'verify', ctx.deps.config.LIMIT_VERIFY_PER_MINUTE)
    return await pageFor(ctx, input, target)
  } catch (error) {
    return { to: withError(target, error as DomainError, pkce) }
  }
}

/** The button of that page. `isOwnPage`: pressed there, and not by a form on another site. */
export async function pressLink(
  ctx: AuthCtx,
  { password, isOwnPage, ...link }: Input<typeof auth.pressLink> & { isOwnPage: boolean },
): Promise<Shown | Led> {
  const { target, pkce } = readLink(ctx, link)
  try {
    await limitByAddress(ctx, 'verify', ctx.deps.config.LIMIT_VERIFY_PER_MINUTE)
    if (!isOwnPage) return await pageFor(ctx, link, target)
    const { user, token } = await peek(ctx, link)
    if (!password || !losesPassword(user, token)) return await followLink(ctx, link)
    try {
      checkStrength(ctx, password, [user.email])
    } catch (error) {
      return { ...(await pageFor(ctx, link, target, (error as DomainError).message)), status: 422 }
    }
    return await followLink(ctx, link, await ctx.deps.hasher.hash(password))
  } catch (error) {
    return { to: withError(target, error as DomainError, pkce) }
  }
}

async function peek(ctx: AuthCtx, link: Link): Promise<{ user: User; token: Redeemed }> {
  const { token: given, types } = readLink(ctx, link)
  const token = await lookAtToken(ctx.db, given, types)
  const user = token && (await findUser(ctx.db, { id: token.user_id }))
  if (!token || !user) throw linkExpired()
  return { user, token }
}

/** A password was set for the address, and it did not come with this letter alone. */
const losesPassword = (user: User, { type, claim }: Redeemed) =>
  type === 'confirmation' && !user.email_proven && Boolean(user.password_hash || claim?.rival) && !(claim?.password_hash && !claim.rival)

async function pageFor(ctx: AuthCtx, link: Link, target: string, error?: string): Promise<Shown> {
  const { user, token } = await peek(ctx, link)
  const product = ctx.deps.rt.kit.PRODUCT_NAME
  const asksPassword = losesPassword(user, token)
  const { button, ...words } = wordsFor(link.type ?? '', user, token, product)
  const field = {
    name: 'password',
    type: 'password' as const,
    autocomplete: 'new-password',
    label: 'Choose a password',
    hint: 'No password that was set before this address was confirmed is kept. Leave this empty to choose one later.',
    ...(error && { error }),
  }
  return {
    page: {
      product,
      ...words,
      form: {
        action: auth.pressLink.path,
        hidden: { type: link.type ?? '', token: link.token ?? '', redirect_to: target },
        ...(asksPassword && { field }),
        button,
      },
    },
    leadsTo: target,
  }
}

type Words = { title: string; text: string; button: string; after?: string }

function wordsFor(type: string, user: User, { type: kind, relates_to: address }: Redeemed, product: string): Words {
  const notYou = 'If this was not you, close this page. Nothing changes.'
  if (kind === 'email_change_current')
    return {
      title: 'Agree to the change of your email',
      text: `Your ${product} account will use ${user.email_change ?? 'another address'} instead of ${address}.`,
      button: 'Agree to the change',
      after: notYou,
    }
  if (kind === 'email_change_new')
    return {
      title: 'Confirm your new email',
      text: `${address} will belong to the ${product} account that now signs in ${waysIn(user)}. Confirm only if that account is yours.`,
      button: 'Use this address',
      after: notYou,
    }
  if (type === 'recovery')
    return {
      title: 'Reset your password',
      text: `You will be signed in to ${product} as ${address}, and choose a new password next.`,
      button: 'Continue',
      after: notYou,
    }
  if (type === 'invite')
    return { title: 'Accept your invitation', text: `You will be signed in to ${product} as ${address}.`, button: 'Accept the invitation' }
  if (kind === 'recovery')
    return { title: `Sign in to ${product}`, text: `You will be signed in as ${address} in this browser.`, button: 'Sign in' }
  return {
    title: 'Confirm your email',
    text: `You will be signed in to ${product} as ${address} in this browser.`,
    button: 'Confirm email',
    after: 'If you did not sign up, close this page. The account is not active until you confirm.',
  }
}

/** Enough to know one's own account by, and not all of it. */
function waysIn({ email, phone }: User): string {
  if (email) return `with ${email.replace(/^(.).*(@.*)$/, '$1…$2')}`
  return phone ? `with the phone number ending in ${phone.slice(-4)}` : 'as a guest in the browser that asked for this'
}
