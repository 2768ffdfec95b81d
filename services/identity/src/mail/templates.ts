type Letter = {
  subject: string
  title: string
  text: string
  action?: { label: string; url: string }
  code?: string
  facts?: [string, string][]
  after?: string
}
type Values = { product: string; home: string; link: string; code: string; detail: Record<string, string> }

/** What each letter says. The frame below makes the HTML and the plain part from the same words. */
const letters = {
  confirm: ({ product, link, code }) => ({
    subject: `Confirm your e-mail for ${product}`,
    title: 'Confirm your e-mail',
    text: `Welcome to ${product}. One click and your account is ready.`,
    action: { label: 'Confirm e-mail', url: link },
    code,
    after: 'The link and the code work for an hour. If you did not sign up, ignore this mail: without the click there is no account.',
  }),
  magic_link: ({ product, link, code }) => ({
    subject: `Your sign-in link for ${product}`,
    title: 'Sign in',
    text: 'Here is the link you asked for. It works once.',
    action: { label: `Sign in to ${product}`, url: link },
    code,
    after: 'The link and the code work for an hour. If you did not ask for them, nobody has come in: ignore this mail.',
  }),
  recovery: ({ product, link, code }) => ({
    subject: `Reset your ${product} password`,
    title: 'Reset your password',
    text: 'Somebody, hopefully you, asked for a new password for this account.',
    action: { label: 'Choose a new password', url: link },
    code,
    after: 'The link works once, for an hour. If it was not you, ignore this mail: your password stays as it is.',
  }),
  invite: ({ product, link }) => ({
    subject: `You are invited to ${product}`,
    title: 'You are invited',
    text: `An account at ${product} is waiting for you.`,
    action: { label: 'Accept the invitation', url: link },
    after: 'The link works once. If you did not expect this, ignore it.',
  }),
  email_change_current: ({ product, link, code, detail }) => ({
    subject: `Confirm the change of your ${product} e-mail`,
    title: 'Your e-mail is about to change',
    text: `Somebody signed in to your account asked to use ${detail.new_email ?? 'another address'} instead of this one. Both addresses must agree.`,
    action: { label: 'Agree to the change', url: link },
    code,
    after: 'If this was not you, do not click. Change your password instead.',
  }),
  email_change_new: ({ product, link, code }) => ({
    subject: `Confirm your new e-mail for ${product}`,
    title: 'Confirm your new e-mail',
    text: 'This address was given as the new one of an account. Both addresses must agree.',
    action: { label: 'Use this address', url: link },
    code,
    after: 'If this was not you, ignore this mail: nothing changes.',
  }),
  reauthentication: ({ product, code }) => ({
    subject: `${code} is your ${product} code`,
    title: 'Confirm it is you',
    text: 'Enter this code to go on.',
    code,
    after: 'It works for an hour. If you did not ask for it, somebody has your session open: sign out everywhere.',
  }),
  account_exists: ({ product, home }) => ({
    subject: `You already have a ${product} account`,
    title: 'You already have an account',
    text: 'Somebody, hopefully you, tried to sign up with this address. It has an account already, so nothing was changed.',
    action: { label: 'Sign in', url: `${home}/auth` },
    after: `Forgot the password? Ask for a new one at ${home}/forgot-password.`,
  }),
  new_sign_in: ({ product, home, detail }) => ({
    subject: `New sign-in to ${product}`,
    title: 'New sign-in',
    text: 'Your account was signed in to from a device we have not seen before.',
    facts: factsOf(detail),
    action: { label: 'Review your sessions', url: `${home}/dashboard/settings?section=devices` },
    after: 'If it was you, there is nothing to do. If not, change your password: that ends every other session.',
  }),
  password_changed: ({ product, home, detail }) => ({
    subject: `Your ${product} password was changed`,
    title: 'Your password was changed',
    text: 'All other sessions have been signed out.',
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password.`,
  }),
  email_changed: ({ product, detail }) => ({
    subject: `Your ${product} e-mail was changed`,
    title: 'Your e-mail was changed',
    text: `Your account now belongs to ${detail.new_email ?? 'another address'}, and no longer to ${detail.old_email ?? 'the one before'}. Sign in and get your mail there.`,
    facts: factsOf(detail),
    after: 'If it was not you, write to the people who run this site at once: whoever did it had your account open, or your mail.',
  }),
  phone_changed: ({ product, home, detail }) => ({
    subject: `Your ${product} phone number was changed`,
    title: 'Your phone number was changed',
    text: `Codes by text message now go to +${detail.new_phone}${detail.old_phone ? `, and no longer to +${detail.old_phone}` : ''}. They open your account.`,
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password and change the number again.`,
  }),
  identity_linked: ({ product, home, detail }) => ({
    subject: `A sign-in was connected to ${product}`,
    title: 'A sign-in was connected',
    text: `Your account can now be opened with ${wayIn(detail)} as well.`,
    facts: factsOf(detail),
    action: { label: 'Review your sign-ins', url: `${home}/dashboard/settings?section=security` },
    after: 'If it was not you, remove it there and change your password: that ends every other session.',
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
    after: `Keep your recovery codes where you find them without your phone. If it was not you, take the account back at ${home}/forgot-password.`,
  }),
  factor_removed: ({ product, home, detail }) => ({
    subject: `A second factor was removed from ${product}`,
    title: 'A second factor was removed',
    text: 'Your account no longer asks for codes from this authenticator app.',
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password and add a factor again.`,
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
    text: 'Somebody signed in with one of your recovery codes in place of your second factor. That code is used up.',
    facts: factsOf(detail),
    after: `If it was not you, take the account back at ${home}/forgot-password and make new codes.`,
  }),
} satisfies Record<string, (values: Values) => Letter>
export type Template = keyof typeof letters

export function renderLetter(template: Template, values: Values): { subject: string; html: string; text: string } {
  const letter: Letter = letters[template](values)
  return { subject: letter.subject, html: htmlOf(letter, values), text: textOf(letter, values) }
}

/** A notice in the length of a text message, for an account without an address. */
export function renderNotice(template: Template, { product, home }: Pick<Values, 'product' | 'home'>): string {
  const { title } = letters[template]({ product, home, link: home, code: '', detail: {} })
  return `${product}: ${title}. If it was not you, write to the people who run ${home} at once.`
}

const waysIn: Record<string, string> = {
  google: 'Google',
  facebook: 'Facebook',
  github: 'GitHub',
  azure: 'Microsoft',
  phone: 'your phone number',
}
const wayIn = ({ provider = '' }: Record<string, string>) => waysIn[provider] ?? 'your e-mail and password'

const factsOf = ({ at, ip, device, by, factor }: Record<string, string>): [string, string][] =>
  (
    [
      ['When', at],
      ['Factor', factor],
      ['By', by],
      ['Address', ip],
      ['Device', device],
    ] as const
  ).flatMap(([name, value]) => (value ? [[name, value]] : []))

function textOf({ title, text, action, code, facts, after }: Letter, { product, home }: Values): string {
  return [
    title,
    text,
    ...(facts ?? []).map(([name, value]) => `${name}: ${value}`),
    action && `${action.label}: ${action.url}`,
    code && `Your code: ${code}`,
    after,
    `${product} · ${home}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

const FONT = `font-family:'Instrument Sans',-apple-system,'Segoe UI',Helvetica,Arial,sans-serif`

function htmlOf({ subject, title, text, action, code, facts, after }: Letter, { product, home }: Values): string {
  const rows = [
    row(
      `<h1 style="margin:0;${FONT};font-size:24px;line-height:30px;font-weight:600;letter-spacing:-0.02em;color:#10120e">${safe(title)}</h1>`,
      32,
    ),
    row(paragraph(text, '#2b2e27', 16), 12),
    facts &&
      row(
        `<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-top:1px solid #e6e7e1">${facts.map(([name, value]) => `<tr><td style="${FONT};font-size:13px;color:#6b6f63;padding:10px 16px 10px 0;border-bottom:1px solid #e6e7e1;white-space:nowrap">${safe(name)}</td><td style="${FONT};font-size:14px;color:#10120e;padding:10px 0;border-bottom:1px solid #e6e7e1">${safe(value)}</td></tr>`).join('')}</table>`,
        20,
      ),
    action &&
      row(
        `<a href="${safe(action.url)}" style="display:inline-block;background:#10120e;color:#c6f24e;text-decoration:none;${FONT};font-size:15px;font-weight:600;padding:13px 22px;border-radius:8px">${safe(action.label)}</a>`,
        24,
      ),
    code &&
      row(
        `<div style="${FONT};font-size:13px;color:#6b6f63">${action ? 'Or enter this code' : 'Your code'}</div><div style="font-family:'Geist Mono',ui-monospace,Menlo,Consolas,monospace;font-size:28px;line-height:40px;letter-spacing:0.22em;color:#10120e">${safe(code)}</div>`,
        24,
      ),
    after && row(paragraph(after, '#6b6f63', 13), 24),
  ]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${safe(subject)}</title></head>
<body style="margin:0;background:#f3f4ef"><table role="presentation" width="100%" cellspacing="0" cellpadding="0"><tr><td align="center" style="padding:40px 16px">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="max-width:520px"><tr><td style="padding:0 4px 20px">${mark}<span style="${FONT};font-size:16px;font-weight:600;color:#10120e;vertical-align:middle;padding-left:8px">${safe(product)}</span></td></tr>
<tr><td style="background:#ffffff;border:1px solid #e0e2da;border-radius:14px;padding:0 36px 36px"><table role="presentation" width="100%" cellspacing="0" cellpadding="0">${rows.filter(Boolean).join('')}</table></td></tr>
<tr><td style="padding:20px 4px;${FONT};font-size:12px;color:#8a8e80">Sent by ${safe(product)} · <a href="${safe(home)}" style="color:#8a8e80">${safe(home.replace(/^https?:\/\//, ''))}</a></td></tr></table></td></tr></table></body></html>`
}

// The promoter arrow and its three bars, from table cells: mail programs draw no SVG.
const bar = (height: number) =>
  `<td valign="bottom" style="padding-right:3px"><div style="width:5px;height:${height}px;background:#10120e;border-radius:1px;font-size:0;line-height:0">&nbsp;</div></td>`
const mark = `<table role="presentation" cellspacing="0" cellpadding="0" style="display:inline-table;vertical-align:middle"><tr>${bar(18)}${bar(14)}${bar(10)}<td valign="top" style="font-size:16px;line-height:16px;color:#6f9400;font-weight:700">&#8599;</td></tr></table>`
const row = (content: string, top: number) => `<tr><td style="padding-top:${top}px">${content}</td></tr>`
const paragraph = (text: string, colour: string, size: number) =>
  `<p style="margin:0;${FONT};font-size:${size}px;line-height:1.55;color:${colour}">${safe(text)}</p>`
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const safe = (text: string) => text.replace(/[&<>"']/g, (char) => entities[char]!)
