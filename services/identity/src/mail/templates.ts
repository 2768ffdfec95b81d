import { deviceName } from '@operon/contracts/words'
import type { Letter } from '@operon/kit/mail/frame'

type Values = { product: string; home: string; link: string; code: string; detail: Record<string, string> }

/** The words of each letter. */
const letters = {
  confirm: ({ product, link, code }) => ({
    subject: `Confirm your email for ${product}`,
    title: 'Confirm your email',
    text: `Welcome to ${product}. Confirm your address to activate your account.`,
    action: { label: 'Confirm email', url: link },
    code,
    after:
      'The link and the code work for an hour. If you did not sign up, ignore this email. Your account is not active until you confirm.',
  }),
  magic_link: ({ product, link, code }) => ({
    subject: `Your sign-in link for ${product}`,
    title: 'Sign in',
    text: 'Here is the link you asked for. It works once.',
    action: { label: `Sign in to ${product}`, url: link },
    code,
    after: 'The link and the code work for an hour. If you did not ask for them, ignore this email. Nobody has signed in.',
  }),
  recovery: ({ product, link, code }) => ({
    subject: `Reset your ${product} password`,
    title: 'Reset your password',
    text: 'We received a request to reset the password of this account.',
    action: { label: 'Choose a new password', url: link },
    code,
    after: 'The link works once, for an hour. If it was not you, ignore this email. Your password has not changed.',
  }),
  invite: ({ product, link }) => ({
    subject: `You are invited to ${product}`,
    title: 'You are invited',
    text: `Accept the invitation to set up your ${product} account.`,
    action: { label: 'Accept the invitation', url: link },
    after: 'The link works once. If you did not expect this, ignore it.',
  }),
  email_change_current: ({ product, link, code, detail }) => ({
    subject: `Confirm the change of your ${product} email`,
    title: 'Your email is about to change',
    text: `Someone signed in to your account asked to use ${detail.new_email ?? 'another address'} instead of this one. Confirm from both addresses to make the change.`,
    action: { label: 'Confirm the change', url: link },
    code,
    after: 'If this was not you, do not agree. Change your password instead.',
  }),
  email_change_new: ({ product, link, code }) => ({
    subject: `Confirm your new email for ${product}`,
    title: 'Confirm your new email',
    text: 'This address was given as the new one of an account. Confirm from both addresses to make the change.',
    action: { label: 'Use this address', url: link },
    code,
    after: 'If this was not you, ignore this email. Nothing changes.',
  }),
  reauthentication: ({ product, code }) => ({
    subject: `${code} is your ${product} code`,
    title: 'Confirm it is you',
    text: 'Enter this code to continue.',
    code,
    after: 'It works for an hour. If you did not ask for it, someone else is signed in to your account. Sign out on every device.',
  }),
  account_exists: ({ product, home }) => ({
    subject: `You already have a ${product} account`,
    title: 'You already have an account',
    text: 'Someone tried to sign up with this address. It already has an account, so nothing was changed. If it was you, sign in instead.',
    action: { label: 'Sign in', url: `${home}/auth` },
    after: `Forgot your password? Reset it at ${home}/forgot-password.`,
  }),
  new_sign_in: ({ product, home, detail }) => ({
    subject: `New sign-in to ${product}`,
    title: 'New sign-in',
    text: 'Someone signed in to your account from a new device.',
    facts: factsOf(detail),
    action: { label: 'Review your sessions', url: `${home}/dashboard/settings?section=devices` },
    after: 'If it was you, you can ignore this email. If not, change your password. That signs out every other device.',
  }),
  password_changed: ({ product, home, detail }) => ({
    subject: `Your ${product} password was changed`,
    title: 'Your password was changed',
    text: 'All other sessions have been signed out.',
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password.`,
  }),
  password_dropped: ({ product, home }) => ({
    subject: `Choose a password for ${product}`,
    title: 'Your account has no password yet',
    text: 'A password was set for this address before you confirmed that it is yours. To keep others out, it no longer works.',
    action: { label: 'Choose a password', url: `${home}/forgot-password` },
    after: 'Until then, sign in with a link by email.',
  }),
  email_changed: ({ product, home, detail }) => ({
    subject: `Your ${product} email was changed`,
    title: 'Your email was changed',
    text: `Your account now belongs to ${detail.new_email ?? 'another address'}, and no longer to ${detail.old_email ?? 'the one before'}. Sign in with the new address.`,
    facts: factsOf(detail),
    after: `If it was not you, contact the people who run ${home} right away. Someone has access to your account or your email.`,
  }),
  phone_changed: ({ product, home, detail }) => ({
    subject: `Your ${product} phone number was changed`,
    title: 'Your phone number was changed',
    text: `Codes by text message now go to +${detail.new_phone}${detail.old_phone ? `, and no longer to +${detail.old_phone}` : ''}. Anyone with that phone can sign in to your account.`,
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password and change the number again.`,
  }),
  identity_linked: ({ product, home, detail }) => ({
    subject: `A sign-in was connected to ${product}`,
    title: 'A sign-in was connected',
    text: `Your account can now be opened with ${wayIn(detail)} as well.`,
    facts: factsOf(detail),
    action: { label: 'Review your sign-ins', url: `${home}/dashboard/settings?section=security` },
    after: 'If it was not you, remove it there and change your password. That signs out every other device.',
  }),
  identity_unlinked: ({ product, home, detail }) => ({
    subject: `A sign-in was removed from ${product}`,
    title: 'A sign-in was removed',
    text: `Your account can no longer be opened with ${wayIn(detail)}.`,
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password.`,
  }),
  factor_added: ({ product, home, detail }) => ({
    subject: `Two-factor sign-in is on for ${product}`,
    title: 'A second factor was added',
    text: 'From now on your account asks for a code from your authenticator app. All other sessions have been signed out.',
    facts: factsOf(detail),
    after: `Keep your recovery codes somewhere you can reach without your phone. If it was not you, take the account back at ${home}/forgot-password.`,
  }),
  factor_removed: ({ product, home, detail }) => ({
    subject: `A second factor was removed from ${product}`,
    title: 'A second factor was removed',
    text: 'Your account no longer asks for codes from this authenticator app.',
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password and add a factor again.`,
  }),
  passkey_added: ({ product, home, detail }) => ({
    subject: `A passkey was added to your ${product} account`,
    title: 'A passkey was added',
    text: 'Anyone who unlocks that device can sign in to your account without a password.',
    facts: factsOf(detail),
    action: { label: 'Review your passkeys', url: `${home}/dashboard/settings?section=security` },
    after: `If it was not you, take the account back at ${home}/forgot-password: that removes every passkey.`,
  }),
  passkey_removed: ({ product, home, detail }) => ({
    subject: `A passkey was removed from your ${product} account`,
    title: 'A passkey was removed',
    text: `${detail.passkey ?? 'That passkey'} no longer signs in to your account.`,
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password.`,
  }),
  session_copied: ({ product, home, detail }) => ({
    subject: `We signed out a device of your ${product} account`,
    title: 'A session was used in two places',
    text: 'Someone else may have had a copy of it, so we ended it. Sign in again on that device.',
    facts: factsOf(detail),
    action: { label: 'Review your sessions', url: `${home}/dashboard/settings?section=devices` },
    after: `If you do not know where a copy could come from, change your password at ${home}/forgot-password.`,
  }),
  factor_recovery_begun: ({ product, home, link, detail }) => ({
    subject: `Someone asked to remove the second factor of your ${product} account`,
    title: 'Your second factor is about to be removed',
    text: `Someone who can read your email asked for this. It happens on ${detail.due ?? 'the date shown on your account'}, and signs out every device.`,
    facts: factsOf(detail),
    action: { label: 'Stop it', url: link },
    after: `If it was you, there is nothing to do. If it was not, stop it, and secure your email: someone else can read it. Your account is at ${home}.`,
  }),
  factor_recovery_stopped: ({ product, home, detail }) => ({
    subject: `The second factor of your ${product} account stays`,
    title: 'The removal of your second factor was stopped',
    text: 'Your account still asks for a code from your authenticator app.',
    facts: factsOf(detail),
    after: `If it was not you, begin again at ${home}/lost-second-factor.`,
  }),
  factor_recovery_done: ({ product, home }) => ({
    subject: `The second factor of your ${product} account was removed`,
    title: 'Your second factor was removed',
    text: 'Every device was signed out. You now sign in with your password alone.',
    action: { label: 'Sign in', url: `${home}/auth` },
    after: 'Add a new second factor in Settings, under Security.',
  }),
  recovery_codes_created: ({ product, home, detail }) => ({
    subject: `New recovery codes for ${product}`,
    title: 'New recovery codes were made',
    text: 'The recovery codes you had before no longer work.',
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password and make new codes.`,
  }),
  recovery_code_used: ({ product, home, detail }) => ({
    subject: `A recovery code was used for ${product}`,
    title: 'A recovery code was used',
    text: 'Someone signed in with one of your recovery codes instead of your second factor. That code no longer works.',
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password and make new codes.`,
  }),
} satisfies Record<string, (values: Values) => Letter>
export type Template = keyof typeof letters

export const letterOf = (template: Template, values: Values): Letter => letters[template](values)

/** A notice in the length of a text message, for an account without an email address. */
export function renderNotice(template: Template, values: Omit<Values, 'code'>): string {
  const { product, home, link } = values
  const { title } = letters[template]({ ...values, code: '' })
  if (template === 'factor_recovery_begun') return `${product}: ${title}. If it was not you, stop it: ${link}`
  return `${product}: ${title}. If it was not you, contact ${home} right away.`
}

const waysIn: Record<string, string> = {
  google: 'Google',
  facebook: 'Facebook',
  github: 'GitHub',
  azure: 'Microsoft',
  phone: 'your phone number',
}
const wayIn = ({ provider = '' }: Record<string, string>) => waysIn[provider] ?? 'your email and password'

const factsOf = ({ at, ip, device, by, factor }: Record<string, string>): [string, string][] =>
  (
    [
      ['When', at],
      ['Factor', factor],
      ['By', by],
      ['Address', ip],
      ['Device', device && deviceName(device)],
    ] as const
  ).flatMap(([name, value]) => (value ? [[name, value]] : []))
