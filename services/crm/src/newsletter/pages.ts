import { safe } from '../mail/letter.ts'

type Page = { product: string; title: string; text: string; form?: { action: string; token: string; button: string } }

/** A page for who comes from a mail. Opening a link changes nothing, because mail scanners open links too: the button does. */
export function page({ product, title, text, form }: Page): string {
  const button = form
    ? `<form method="post" action="${safe(form.action)}"><input type="hidden" name="token" value="${safe(form.token)}"><button style="font:inherit;font-weight:600;background:#c6f24e;color:#10120e;border:0;border-radius:8px;padding:13px 22px;cursor:pointer">${safe(form.button)}</button></form>`
    : `<p><a href="/" style="color:#c6f24e">Go to ${safe(product)}</a></p>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<title>${safe(title)} · ${safe(product)}</title></head>
<body style="margin:0;min-height:100vh;display:grid;place-items:center;background:#0b0d0a;color:#eef0e8;font:16px/1.5 'Instrument Sans',system-ui,sans-serif">
<main style="max-width:26rem;padding:2rem"><h1 style="font-size:1.75rem;line-height:1.2;letter-spacing:-0.02em;margin:0 0 .75rem">${safe(title)}</h1><p style="color:#b8bcae;margin:0 0 1.5rem">${safe(text)}</p>${button}</main></body></html>`
}
