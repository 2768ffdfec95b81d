export type Letter = { subject: string; text: string; html: string }
export type Words = { subject: string; title: string; text: string; action: { label: string; url: string }; after: string }
type Parts = Words & { product: string; home: string; stop?: string }

const font = "font-family:'Instrument Sans',-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"

/** The HTML and the plain part of a mail, from the same words. A list's mail says how to leave it; one about the account does not. */
export function letter({ product, home, stop, subject, title, text, action, after }: Parts): Letter {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${safe(subject)}</title></head>
<body style="margin:0;background:#f3f4ef;${font};color:#10120e"><div style="max-width:520px;margin:0 auto;padding:40px 16px">
<div style="padding:0 4px 20px">${mark}<span style="font-size:16px;font-weight:600;vertical-align:middle;padding-left:8px">${safe(product)}</span></div>
<div style="background:#ffffff;border:1px solid #e0e2da;border-radius:14px;padding:36px">
<h1 style="margin:0;font-size:24px;line-height:30px;font-weight:600;letter-spacing:-0.02em">${safe(title)}</h1>
<p style="font-size:16px;line-height:24px;color:#2b2e27;margin:12px 0 24px">${safe(text)}</p>
<a href="${safe(action.url)}" style="display:inline-block;background:#10120e;color:#c6f24e;text-decoration:none;font-size:15px;font-weight:600;padding:13px 22px;border-radius:8px">${safe(action.label)}</a>
<p style="font-size:13px;line-height:20px;color:#6b6f63;margin:24px 0 0">${safe(after)}</p></div>
<p style="font-size:12px;color:#6b6f63;padding:20px 4px">Sent by ${safe(product)} · <a href="${safe(home)}" style="color:#6b6f63">${safe(home.replace(/^https?:\/\//, ''))}</a>${stop ? ` · <a href="${safe(stop)}" style="color:#6b6f63">Unsubscribe</a>` : ''}</p>
</div></body></html>`
  const plain = [title, text, `${action.label}: ${action.url}`, after, `${product} · ${home}`, ...(stop ? [`Unsubscribe: ${stop}`] : [])]
  return { subject, text: plain.join('\n\n'), html }
}

// The promoter arrow and its three bars, from table cells: mail programs draw no SVG.
const bar = (height: number) =>
  `<td valign="bottom" style="padding-right:3px"><div style="width:5px;height:${height}px;background:#10120e;border-radius:1px;font-size:0;line-height:0">&nbsp;</div></td>`
const mark = `<table role="presentation" cellspacing="0" cellpadding="0" style="display:inline-table;vertical-align:middle"><tr>${bar(18)}${bar(14)}${bar(10)}<td valign="top" style="font-size:16px;line-height:16px;color:#6f9400;font-weight:700">&#8599;</td></tr></table>`

export const safe = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[char]!)
