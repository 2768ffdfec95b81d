import type { WireReply } from './wire.ts'

export const escaped = (value: unknown) =>
  String(value ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

/** Markup that is already safe. Any other value in a template is escaped. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString() {
    return this.text
  }
}

export function html(parts: TemplateStringsArray, ...values: unknown[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + part + (index < values.length ? render(values[index]) : ''), ''))
}

function render(value: unknown): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  return Array.isArray(value) ? value.map(render).join('') : escaped(value)
}

type PageOptions = {
  title: string
  body: Markup
  status?: number
  /** Where a form of this page may lead besides this origin. */
  leadsTo?: (string | null | undefined)[] | 'anywhere'
  script?: boolean
  /** Wide for lists, narrow for one decision, pair for what is bought beside how it is paid. */
  layout?: 'wide' | 'narrow' | 'pair'
  strip?: string
}

const mark = html`<svg class="mark" viewBox="0 0 34 22" aria-hidden="true"><path d="M2 17.5V5.5h8.5M7.5 2.5l3 3-3 3" /><rect x="6" y="15" width="11" height="5" rx="2.5" /><rect x="19.5" y="15" width="5" height="5" rx="2.5" /><rect x="27" y="15" width="7" height="5" rx="2.5" /></svg>`

export function page({ title, body, status = 200, leadsTo = [], script, layout = 'wide', strip }: PageOptions): WireReply {
  const targets =
    leadsTo === 'anywhere' ? ['http:', 'https:'] : leadsTo.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : []))
  const document = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="dark light">
<title>${title} · Sandbox</title><script src="/sandbox/assets/theme.js"></script><link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/sandbox/assets/sandbox.css">${script ? html`<script src="/sandbox/assets/sandbox.js" defer></script>` : ''}</head>
<body class="${layout}"><header class="strip">${mark}<strong>Sandbox</strong><span>${strip ?? 'A stand-in for the real provider. Nothing here costs or reaches anyone.'}</span><nav><a href="/sandbox">Overview</a><a href="/sandbox/inbox">Inbox</a></nav></header>
<main>${body}</main></body></html>`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      // The mail shown in an inline frame inherits this policy and carries its styles inline.
      'content-security-policy':
        `default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data: https:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self' ${targets.join(' ')}`.trim(),
    },
    body: document.text,
  }
}

export const money = (cents: number, currency = 'usd') =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(cents / 100)
export const day = (seconds: number | null | undefined) =>
  seconds ? new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(seconds * 1000) : 'none'
