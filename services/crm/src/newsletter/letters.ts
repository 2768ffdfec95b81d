type Values = { product: string; home: string; stop: string }
type Letter = { subject: string; text: string; html: string }

export function confirmLetter({ product, go, ...rest }: Values & { go: string }): Letter {
  return letter({
    product,
    ...rest,
    subject: `Confirm your subscription to ${product} news`,
    title: 'One click and you are in',
    text: `Somebody, hopefully you, asked for the ${product} newsletter. Confirm that this address is yours.`,
    action: { label: 'Confirm', url: go },
    after: 'The link works once, for two days. If it was not you, ignore this mail: nothing more will come.',
  })
}

export function welcomeLetter({ product, home, stop }: Values): Letter {
  return letter({
    product,
    home,
    stop,
    subject: `You are on the list for ${product} news`,
    title: 'Thank you for confirming',
    text: `From now on you hear about what is new in ${product}, and nothing else.`,
    action: { label: `Open ${product}`, url: home },
    after: 'Changed your mind? One click on the link below ends it.',
  })
}

type Parts = Values & { subject: string; title: string; text: string; action: { label: string; url: string }; after: string }
const font = "font-family:'Instrument Sans',-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"

function letter({ product, home, stop, subject, title, text, action, after }: Parts): Letter {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${safe(subject)}</title></head>
<body style="margin:0;background:#f3f4ef;${font};color:#10120e"><div style="max-width:520px;margin:0 auto;padding:40px 16px">
<div style="background:#ffffff;border:1px solid #e0e2da;border-radius:14px;padding:36px">
<h1 style="margin:0;font-size:24px;line-height:30px;font-weight:600;letter-spacing:-0.02em">${safe(title)}</h1>
<p style="font-size:16px;line-height:24px;color:#2b2e27;margin:12px 0 24px">${safe(text)}</p>
<a href="${safe(action.url)}" style="display:inline-block;background:#10120e;color:#c6f24e;text-decoration:none;font-size:15px;font-weight:600;padding:13px 22px;border-radius:8px">${safe(action.label)}</a>
<p style="font-size:13px;line-height:20px;color:#6b6f63;margin:24px 0 0">${safe(after)}</p></div>
<p style="font-size:12px;color:#6b6f63;padding:20px 4px">Sent by ${safe(product)} · <a href="${safe(home)}" style="color:#6b6f63">${safe(home.replace(/^https?:\/\//, ''))}</a> · <a href="${safe(stop)}" style="color:#6b6f63">Unsubscribe</a></p>
</div></body></html>`
  const plain = [title, text, `${action.label}: ${action.url}`, after, `${product} · ${home}`, `Unsubscribe: ${stop}`].join('\n\n')
  return { subject, text: plain, html }
}

export const safe = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[char]!)
