/** The words of an email, in plain text. Nothing here is HTML: the frame escapes every word. */
export type Letter = {
  subject: string
  title: string
  text: string
  action?: { label: string; url: string }
  code?: string
  facts?: [name: string, value: string][]
  after?: string
  /** Where one click ends a list's emails. */
  stop?: string
}
type Sender = { product: string; home: string }
type Rendered = { subject: string; html: string; text: string }

/** The HTML and the plain part of an email, from the same words. */
export function renderLetter(given: Letter, sender: Sender): Rendered {
  const letter = { ...given, facts: given.facts?.map(([name, value]): [string, string] => [name, oneLine(value)]) }
  return { subject: oneLine(letter.subject), html: htmlOf(letter, sender), text: textOf(letter, sender) }
}

function textOf({ title, text, action, code, facts = [], after, stop }: Letter, { product, home }: Sender): string {
  return [
    title,
    text,
    ...facts.map(([name, value]) => `${name}: ${value}`),
    action && `${action.label}: ${action.url}`,
    code && `Your code: ${code}`,
    after,
    `${product} · ${home}`,
    stop && `Unsubscribe: ${stop}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function htmlOf({ subject, title, text, action, code, facts = [], after, stop }: Letter, { product, home }: Sender): string {
  const rows = [
    row(
      `<h1 class="ink" style="margin:0;${FONT};font-size:24px;line-height:30px;font-weight:600;letter-spacing:-0.02em;color:${LIGHT.ink}">${safe(title)}</h1>`,
      32,
    ),
    row(paragraph(text, 'ink', 16), 12),
    facts.length > 0 && row(table(facts), 20),
    action && row(button(action), 24),
    code && row(codeBlock(code, action ? 'Or enter this code' : 'Your code'), 24),
    after && row(paragraph(after, 'muted', 13), 24),
  ]
  const unsubscribe = stop ? ` · <a href="${safe(stop)}" class="muted" style="color:${LIGHT.muted}">Unsubscribe</a>` : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${safe(subject)}</title><style>${STYLES}</style></head>
<body class="page" style="margin:0;background:${LIGHT.page}"><table role="presentation" class="page" width="100%" cellspacing="0" cellpadding="0" style="background:${LIGHT.page}"><tr><td align="center" style="padding:40px 16px">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="max-width:520px"><tr><td style="padding:0 4px 20px">${MARK}<span class="ink" style="${FONT};font-size:16px;font-weight:600;letter-spacing:-0.02em;color:${LIGHT.ink};vertical-align:middle;padding-left:10px">${safe(product)}</span></td></tr>
<tr><td class="panel" style="background:${LIGHT.panel};border:1px solid ${LIGHT.line};border-radius:10px;padding:0 36px 36px"><table role="presentation" width="100%" cellspacing="0" cellpadding="0">${rows.filter(Boolean).join('')}</table></td></tr>
<tr><td class="muted" style="padding:20px 4px;${FONT};font-size:12px;color:${LIGHT.muted}">Sent by ${safe(product)} · <a href="${safe(home)}" class="muted" style="color:${LIGHT.muted}">${safe(home.replace(/^https?:\/\//, ''))}</a>${unsubscribe}</td></tr></table></td></tr></table></body></html>`
}

// The web app's tokens. Programs that show email in dark get them by media query; those that invert colors by themselves find none that vanish.
const LIGHT = { page: '#fafaf7', panel: '#ffffff', line: '#e4e4dc', ink: '#14171c', muted: '#565d68', signal: '#456a00' }
const DARK = { page: '#0c0e12', panel: '#12151b', line: '#262b35', ink: '#e8eaed', muted: '#a2a9b4', signal: '#c6f24e' }
const FONT = `font-family:'Instrument Sans',-apple-system,'Segoe UI',Helvetica,Arial,sans-serif`

const inDark = (scope: string) =>
  [
    `${scope}.page{background:${DARK.page}!important}`,
    `${scope}.panel{background:${DARK.panel}!important;border-color:${DARK.line}!important}`,
    `${scope}.line{border-color:${DARK.line}!important}`,
    `${scope}.ink{color:${DARK.ink}!important}`,
    `${scope}.muted{color:${DARK.muted}!important}`,
    `${scope}.arrow{color:${DARK.signal}!important;border-color:${DARK.signal}!important}`,
    `${scope}.bar{background:${DARK.signal}!important}`,
  ].join('')
// Outlook on the web has no media query for it, but marks what it darkens.
const STYLES = `:root{color-scheme:light dark;supported-color-schemes:light dark}@media(prefers-color-scheme:dark){${inDark('')}}${inDark('[data-ogsc] ')}`

// The promoter arrow above three bars of different lengths, from table cells: mail programs draw no SVG and hold images back.
const bar = (width: number) =>
  `<td style="padding:0 2px 0 0"><div class="bar" style="width:${width}px;height:6px;background:${LIGHT.signal};border-radius:3px;font-size:0;line-height:0">&nbsp;</div></td>`
const MARK = `<table role="presentation" cellspacing="0" cellpadding="0" style="display:inline-table;vertical-align:middle"><tr><td rowspan="2" valign="top"><div class="arrow" style="width:12px;height:15px;margin-top:4px;border:solid ${LIGHT.signal};border-width:2px 0 0 2px;border-radius:3px 0 0 0;font-size:0;line-height:0">&nbsp;</div></td><td class="arrow" style="font-size:14px;line-height:9px;font-family:Arial,sans-serif;color:${LIGHT.signal}"><span style="margin-left:-2px">&#9656;</span></td></tr><tr><td><div style="margin:3px 0 0 -7px"><table role="presentation" cellspacing="0" cellpadding="0"><tr>${bar(13)}${bar(6)}${bar(9)}</tr></table></div></td></tr></table>`

const row = (content: string, top: number) => `<tr><td style="padding-top:${top}px">${content}</td></tr>`
const paragraph = (text: string, tone: 'ink' | 'muted', size: number) =>
  `<p class="${tone}" style="margin:0;${FONT};font-size:${size}px;line-height:1.5;white-space:pre-line;color:${LIGHT[tone]}">${safe(text)}</p>`
// The bright button keeps its own ink in both themes.
const button = ({ label, url }: { label: string; url: string }) =>
  `<a href="${safe(url)}" style="display:inline-block;background:#c6f24e;color:#0c0e12;text-decoration:none;${FONT};font-size:15px;font-weight:600;padding:13px 22px;border-radius:6px">${safe(label)}</a>`
const codeBlock = (code: string, label: string) =>
  `<div class="muted" style="${FONT};font-size:13px;color:${LIGHT.muted}">${label}</div><div class="ink" style="font-family:'Geist Mono',ui-monospace,Menlo,Consolas,monospace;font-size:28px;line-height:40px;letter-spacing:0.22em;color:${LIGHT.ink}">${safe(code)}</div>`

const table = (facts: [string, string][]) =>
  `<table role="presentation" width="100%" cellspacing="0" cellpadding="0" class="line" style="border-top:1px solid ${LIGHT.line}">${facts.map(fact).join('')}</table>`
function fact([name, value]: [string, string]): string {
  const cell = `padding:10px 0;border-bottom:1px solid ${LIGHT.line}`
  return `<tr><td class="muted line" style="${FONT};font-size:13px;color:${LIGHT.muted};${cell};padding-right:16px;white-space:nowrap">${safe(name)}</td><td class="ink line" style="${FONT};font-size:14px;color:${LIGHT.ink};${cell};word-break:break-word">${safe(value)}</td></tr>`
}

const LONGEST_FACT = 160
/** A device's name is the caller's to choose: no line breaks, no marks that turn the direction of the text, no page of it. */
const oneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_FACT)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const safe = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!)
