import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { safe } from './mail/frame.ts'

type Field = { name: string; label: string; hint: string; type: 'password' | 'text'; autocomplete: string; error?: string }
type Check = { name: string; label: string; hint: string }
/** `checks` are ticked when the page opens. */
type PageForm = { action: string; hidden: Record<string, string>; field?: Field; checks?: Check[]; button: string; quiet?: boolean }
type Page = { product: string; title: string; text: string; after?: string; form?: PageForm; more?: PageForm[]; home?: string }

// The theme that this browser remembers from the web app, before the first paint.
const theme = "try{document.documentElement.dataset.theme=localStorage.getItem('operon-theme')==='light'?'light':'dark'}catch{}"

const themeHash = createHash('sha256').update(theme).digest('base64')

/** Such a page looks as the app does and sends its form. `leadsTo` is where the answer to the form may redirect: browsers hold redirects to `form-action` too. */
const pagePolicy = (leadsTo: string) =>
  `default-src 'none'; script-src 'sha256-${themeHash}'; style-src 'unsafe-inline'; img-src 'self'; font-src 'self'; form-action 'self'${leadsTo}; base-uri 'none'; frame-ancestors 'none'`

/** Answers with a page that needs no script. `leadsTo`: the address that its form redirects to, where that is another site or an app. */
export function sendPage(reply: FastifyReply, page: Page, { status = 200, leadsTo }: { status?: number; leadsTo?: string } = {}) {
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', pagePolicy(leadsTo ? ` ${sourceOf(leadsTo)}` : ''))
    .send(htmlOf(page))
}

/** An origin, or the scheme of an app that has none. */
function sourceOf(address: string): string {
  const { origin, protocol } = new URL(address)
  return origin === 'null' ? protocol : origin
}

/** For links in mails. Opening one changes nothing, because mail scanners open links too: the button does. */
function htmlOf({ product, title, text, after, form, more = [], home = '/' }: Page): string {
  const next = form ? formOf(form) : `<a class="button" href="${safe(home)}">Go to ${safe(product)}</a>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<title>${safe(title)} · ${safe(product)}</title><link rel="icon" href="/favicon.svg"><script>${theme}</script><style>${styles}</style></head>
<body><header><div><a href="/">${mark}${safe(product)}</a></div></header>
<main>${mark}<h1>${safe(title)}</h1><p>${safe(text)}</p>${next}${more.map(formOf).join('')}${after ? `<p class="after">${safe(after)}</p>` : ''}</main></body></html>`
}

function formOf({ action, hidden, field, checks = [], button, quiet }: PageForm): string {
  const kept = Object.entries(hidden).map(([name, value]) => `<input type="hidden" name="${safe(name)}" value="${safe(value)}">`)
  return `<form method="post" action="${safe(action)}">${kept.join('')}${field ? fieldOf(field) : ''}${checks.map(checkOf).join('')}<button${quiet ? ' class="quiet"' : ''}>${safe(button)}</button></form>`
}

const checkOf = ({ name, label, hint }: Check) =>
  `<label class="check"><input type="checkbox" name="${safe(name)}" checked><span>${safe(label)}${hint ? `<small>${safe(hint)}</small>` : ''}</span></label>`

const fieldOf = ({ name, label, hint, type, autocomplete, error }: Field) =>
  `<label for="${safe(name)}">${safe(label)}</label><input id="${safe(name)}" name="${safe(name)}" type="${type}" autocomplete="${safe(autocomplete)}" aria-describedby="hint"${error ? ' aria-invalid="true" autofocus' : ''}><p id="hint" class="${error ? 'error' : 'hint'}"${error ? ' role="alert"' : ''}>${safe(error ?? hint)}</p>`

// The frame of the web app's pages of one sentence, in both its themes.
const styles = `@font-face{font-family:"Instrument Sans";src:url(/text.woff2);font-weight:400 600;font-display:swap}*{box-sizing:border-box}
:root{color-scheme:dark;--page:#0c0e12;--field:#12151b;--line:#262b35;--control:#5a6372;--bad:#ff8d85;--text:#e8eaed;--muted:#a2a9b4;--signal:#c6f24e}
:root[data-theme=light]{color-scheme:light;--page:#fafaf7;--field:#fff;--line:#e4e4dc;--control:#8a8f85;--bad:#b3261e;--text:#14171c;--muted:#565d68;--signal:#456a00}
body{margin:0;min-height:100dvh;display:flex;flex-direction:column;background:var(--page);color:var(--text);font:16px/1.5 "Instrument Sans",system-ui,sans-serif}
header{border-bottom:1px solid var(--line)}
header div,main{width:100%;max-width:84rem;margin:0 auto;padding:0 20px;border:solid var(--line);border-width:0 1px}
header div{height:64px;display:flex;align-items:center}
header a{display:inline-flex;gap:10px;align-items:center;color:inherit;font-weight:600;letter-spacing:-.02em;text-decoration:none}
svg{height:20px;fill:var(--signal)}path{fill:none;stroke:currentColor;stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round}
main{flex:1;display:flex;flex-direction:column;align-items:flex-start;justify-content:center;padding-bottom:96px}
h1{max-width:20ch;margin:0;font-size:40px;line-height:1.15;font-weight:600;letter-spacing:-.02em;text-wrap:balance}
main svg{height:40px;margin-bottom:32px}
p{max-width:52ch;margin:16px 0 28px;color:var(--muted)}
button,.button{display:inline-block;height:44px;padding:0 18px;border:0;border-radius:6px;background:#c6f24e;color:#0c0e12;font-family:inherit;font-size:14px;font-weight:600;line-height:44px;text-decoration:none;cursor:pointer}
label{display:block;margin-bottom:6px;font-size:14px;font-weight:500}
input:not([type=hidden],[type=checkbox]){width:100%;max-width:25rem;height:44px;padding:0 12px;border:1px solid var(--control);border-radius:6px;background:var(--field);color:inherit;font:inherit}
.check{display:flex;gap:12px;max-width:52ch;margin:0;padding:12px 0;font-weight:500}.check input{flex:none;width:20px;height:20px;margin:1px 0 0;accent-color:#c6f24e}.check small{display:block;color:var(--muted);font-size:13px;font-weight:400}.check+button{margin-top:16px}.quiet{margin-top:16px;border:1px solid var(--control);background:none;color:var(--text);line-height:42px}
.hint,.error{margin:6px 0 20px;font-size:13px}.error{color:var(--bad)}.after{margin:28px 0 0;font-size:14px}form{width:100%}
:focus-visible{outline:2px solid var(--signal);outline-offset:3px;border-radius:6px}
@media(min-width:768px){header div,main{padding-right:32px;padding-left:32px}}`

const mark =
  '<svg viewBox="0 0 34 22" aria-hidden="true"><path d="M2 17.5V5.5h8.5M7.5 2.5l3 3-3 3"/><rect x="6" y="15" width="11" height="5" rx="2.5"/><rect x="19.5" y="15" width="5" height="5" rx="2.5"/><rect x="27" y="15" width="7" height="5" rx="2.5"/></svg>'
