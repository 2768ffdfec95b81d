import { createHash } from 'node:crypto'
import { safe } from '@operon/kit/mail/frame'

type Page = { product: string; title: string; text: string; form?: { action: string; token: string; button: string } }

// The theme that this browser remembers from the web app, before the first paint.
const theme = "try{document.documentElement.dataset.theme=localStorage.getItem('operon-theme')==='light'?'light':'dark'}catch{}"

/** What such a page may do: look as the app does, show itself and send its form. */
export const pagePolicy = `default-src 'none'; script-src 'sha256-${createHash('sha256').update(theme).digest('base64')}'; style-src 'unsafe-inline'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** A page for who comes from a mail. Opening a link changes nothing, because mail scanners open links too: the button does. */
export function page({ product, title, text, form }: Page): string {
  const next = form
    ? `<form method="post" action="${safe(form.action)}"><input type="hidden" name="token" value="${safe(form.token)}"><button>${safe(form.button)}</button></form>`
    : `<a class="button" href="/">Go to ${safe(product)}</a>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<title>${safe(title)} · ${safe(product)}</title><link rel="icon" href="/favicon.svg"><script>${theme}</script><style>${styles}</style></head>
<body><header><div><a href="/">${mark}${safe(product)}</a></div></header>
<main>${mark}<h1>${safe(title)}</h1><p>${safe(text)}</p>${next}</main></body></html>`
}

// The frame of the web app's pages of one sentence, in both its themes.
const styles = `@font-face{font-family:"Instrument Sans";src:url(/text.woff2);font-weight:400 600;font-display:swap}*{box-sizing:border-box}
:root{color-scheme:dark;--page:#0c0e12;--line:#262b35;--text:#e8eaed;--muted:#a2a9b4;--signal:#c6f24e}
:root[data-theme=light]{color-scheme:light;--page:#fafaf7;--line:#e4e4dc;--text:#14171c;--muted:#565d68;--signal:#456a00}
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
:focus-visible{outline:2px solid var(--signal);outline-offset:3px;border-radius:6px}
@media(min-width:768px){header div,main{padding-right:32px;padding-left:32px}}`

const mark =
  '<svg viewBox="0 0 34 22" aria-hidden="true"><path d="M2 17.5V5.5h8.5M7.5 2.5l3 3-3 3"/><rect x="6" y="15" width="11" height="5" rx="2.5"/><rect x="19.5" y="15" width="5" height="5" rx="2.5"/><rect x="27" y="15" width="7" height="5" rx="2.5"/></svg>'
