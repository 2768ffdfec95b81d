import type { EmailBlock, EmailDocument, EmailPart } from './document.ts'
import { escapeHtml, type Inline, paragraphsOf, safeUrl } from './inline.ts'

// Blocks as the HTML that mail programs agree on: tables, styles in attributes, columns that stack where there is no room. Classes are for dark mode alone.

export const PAGE_WIDTH = 600
const INSET = 32
/** Marks a link until each person's own address of it is put in. */
export type LinkMark = (url: string) => string
type Look = { font: string; accent: string; onAccent: string; link: string; width: number; mark: LinkMark }

const fonts = {
  sans: "-apple-system,BlinkMacSystemFont,'Segoe UI',Helvetica,Arial,sans-serif",
  serif: "Georgia,Cambria,'Times New Roman',serif",
  mono: "ui-monospace,Menlo,Consolas,'Courier New',monospace",
}
const LIGHT = { page: '#f4f4ef', panel: '#ffffff', line: '#e4e4dc', ink: '#14171c', muted: '#565d68' }
const DARK = { page: '#0c0e12', panel: '#15181e', line: '#2b303a', ink: '#e8eaed', muted: '#a2a9b4' }

export type Scheme = 'light' | 'dark'
/** `scheme` shows one of the two for a preview; without it the reader's program decides. */
export function pageOf(document: EmailDocument, { subject, leave, pixel, mark, scheme }: PageParts): string {
  const { theme } = document
  const panel = theme.frame === 'panel'
  const page = panel ? LIGHT.page : LIGHT.panel
  const width = panel ? PAGE_WIDTH - 2 * INSET : PAGE_WIDTH
  const link = contrast(theme.accent, LIGHT.panel) >= 4.5 ? theme.accent : LIGHT.ink
  const look = { font: `font-family:${fonts[theme.font]}`, accent: theme.accent, onAccent: inkOn(theme.accent), link, width, mark }
  const rows = document.blocks.filter(({ kind }) => kind !== 'footer').map((block) => rowOf(block, look))
  const foot = document.blocks.filter((block) => block.kind === 'footer').map((block) => footerOf(block, look))
  const hidden = document.preview
    ? `<div style="display:none;max-height:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px">${escapeHtml(document.preview)}${'&#847;&zwnj;&nbsp;'.repeat(40)}</div>`
    : ''
  return `<!doctype html><html lang="en" xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="x-apple-disable-message-reformatting"><meta name="format-detection" content="telephone=no,date=no,address=no,email=no"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(subject)}</title><!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]--><style>${stylesOf(theme.accent, panel, scheme)}</style></head>
<body class="page" style="margin:0;padding:0;background:${page};-webkit-text-size-adjust:100%">${hidden}<table role="presentation" class="page" width="100%" cellspacing="0" cellpadding="0" border="0" style="background:${page}"><tr><td align="center" style="padding:${panel ? '32px 12px' : '16px'}"><!--[if mso]><table role="presentation" width="${PAGE_WIDTH}" cellspacing="0" cellpadding="0"><tr><td><![endif]--><table role="presentation" width="100%" cellspacing="0" cellpadding="0" border="0" style="max-width:${PAGE_WIDTH}px">
<tr><td class="${panel ? 'panel inset' : ''}" style="${panel ? `background:${LIGHT.panel};border:1px solid ${LIGHT.line};border-radius:10px;padding:12px ${INSET}px 28px` : 'padding:0 0 20px'}"><table role="presentation" width="100%" cellspacing="0" cellpadding="0" border="0">${rows.join('\n')}</table></td></tr>
<tr><td align="center" class="muted" style="padding:20px 12px 8px;${look.font};font-size:12px;line-height:18px;color:${LIGHT.muted}">${foot.join('')}<div style="padding-top:8px"><a class="muted" href="${leave.unsubscribe}" style="color:${LIGHT.muted};text-decoration:underline">Unsubscribe</a> · <a class="muted" href="${leave.preferences}" style="color:${LIGHT.muted};text-decoration:underline">Email preferences</a></div></td></tr></table><!--[if mso]></td></tr></table><![endif]--></td></tr></table>${pixel ? `<img src="${pixel}" width="1" height="1" alt="" style="display:block;border:0;width:1px;height:1px">` : ''}</body></html>`
}
type PageParts = {
  subject: string
  leave: { unsubscribe: string; preferences: string }
  pixel: string | null
  mark: LinkMark
  scheme?: Scheme | undefined
}

function stylesOf(accent: string, panel: boolean, scheme: Scheme | undefined): string {
  const link = contrast(accent, DARK.panel) >= 4.5 ? accent : DARK.ink
  const dark = (scope: string) =>
    `${scope}.page{background:${panel ? DARK.page : DARK.panel}!important}${scope}.panel{background:${DARK.panel}!important;border-color:${DARK.line}!important}${scope}.line{border-color:${DARK.line}!important}${scope}.ink{color:${DARK.ink}!important}${scope}.muted{color:${DARK.muted}!important}${scope}.link{color:${link}!important}`
  const narrow =
    '@media(max-width:480px){.column{max-width:100%!important}.column+.column{padding-top:16px!important}.inset{padding-left:20px!important;padding-right:20px!important}}'
  if (scheme === 'light') return `:root{color-scheme:light}${narrow}`
  if (scheme === 'dark') return `:root{color-scheme:dark}${narrow}${dark('')}`
  // Outlook on the web has no media query for it, but marks what it darkens.
  return `:root{color-scheme:light dark;supported-color-schemes:light dark}${narrow}@media(prefers-color-scheme:dark){${dark('')}}${dark('[data-ogsc] ')}`
}

const rowOf = (block: EmailBlock, look: Look) =>
  `<tr><td align="${'align' in block ? block.align : 'left'}" style="padding-top:${block.kind === 'spacer' ? 0 : 16}px">${blockOf(block, look)}</td></tr>`

function blockOf(block: EmailBlock, look: Look): string {
  switch (block.kind) {
    case 'columns':
      return columnsOf(block, look)
    case 'social':
      return socialOf(block, look)
    case 'footer':
      return footerOf(block, look)
    default:
      return partOf(block, look)
  }
}

const headings = { 1: ['28px', '34px'], 2: ['22px', '28px'], 3: ['17px', '24px'] } as const
function partOf(part: EmailPart, look: Look): string {
  switch (part.kind) {
    case 'heading': {
      const [size, height] = headings[part.level]
      return `<h${part.level} class="ink" style="margin:0;${look.font};font-size:${size};line-height:${height};font-weight:600;letter-spacing:-0.01em;color:${LIGHT.ink};text-align:${part.align}">${escapeHtml(part.text)}</h${part.level}>`
    }
    case 'text':
      return textOf(part.text, look, part.align)
    case 'image':
      return imageOf(part, look)
    case 'button':
      return buttonOf(part.label, part.url, look)
    case 'divider':
      return `<div class="line" style="border-top:1px solid ${LIGHT.line};font-size:0;line-height:0">&nbsp;</div>`
    case 'spacer':
      return `<div style="height:${part.height}px;line-height:${part.height}px;font-size:1px">&nbsp;</div>`
    case 'product':
      return productOf(part, look)
  }
}

function textOf(text: string, look: Look, align: string, size = 16): string {
  const words = `${look.font};font-size:${size}px;line-height:1.55;color:${LIGHT.ink};text-align:${align}`
  const paragraphs = paragraphsOf(text)
  return paragraphs
    .map(({ kind, parts }, at) => {
      const top = at === 0 ? 0 : kind === 'item' && paragraphs[at - 1]?.kind === 'item' ? 4 : 12
      const content = parts.map((part) => inlineHtml(part, look)).join('')
      return kind === 'item'
        ? `<table role="presentation" cellspacing="0" cellpadding="0" border="0"><tr><td class="ink" valign="top" style="${words};padding:${top}px 8px 0 0">&bull;</td><td class="ink" style="${words};padding-top:${top}px">${content}</td></tr></table>`
        : `<p class="ink" style="margin:0;padding-top:${top}px;${words}">${content}</p>`
    })
    .join('')
}

function inlineHtml(part: Inline, look: Look): string {
  if (part.kind === 'break') return '<br>'
  if (part.kind === 'link') {
    const label = part.label.map((inner) => inlineHtml(inner, look)).join('')
    const url = safeUrl(part.url)
    return url ? `<a class="link" href="${look.mark(url)}" style="color:${look.link};text-decoration:underline">${label}</a>` : label
  }
  const words = escapeHtml(part.text)
  return part.bold ? `<strong>${words}</strong>` : part.italic ? `<em>${words}</em>` : words
}

function imageOf({ url, alt, link, width, align }: Extract<EmailPart, { kind: 'image' }>, look: Look): string {
  const source = safeUrl(url)
  if (!source || !/^https?:[^\uE000]+$/i.test(source)) return alt ? textOf(alt, look, align, 14) : ''
  const pixels = Math.round((look.width * width) / 100)
  const image = `<img src="${escapeHtml(source)}" alt="${escapeHtml(alt)}" width="${pixels}" style="display:inline-block;width:100%;max-width:${pixels}px;height:auto;border:0;border-radius:6px">`
  const to = link ? safeUrl(link) : null
  return to ? `<a href="${look.mark(to)}">${image}</a>` : image
}

function buttonOf(label: string, url: string, look: Look): string {
  const to = safeUrl(url)
  const words = `${look.font};font-size:15px;line-height:20px;font-weight:600`
  if (!to || !label) return label ? `<p class="ink" style="margin:0;${words};color:${LIGHT.ink}">${escapeHtml(label)}</p>` : ''
  return `<table role="presentation" cellspacing="0" cellpadding="0" border="0" style="border-collapse:separate"><tr><td bgcolor="${look.accent}" style="background:${look.accent};border-radius:6px"><a href="${look.mark(to)}" style="display:inline-block;padding:12px 22px;${words};color:${look.onAccent};text-decoration:none;border-radius:6px">${escapeHtml(label)}</a></td></tr></table>`
}

function productOf(block: Extract<EmailPart, { kind: 'product' }>, look: Look): string {
  const picture = imageOf(
    { kind: 'image', id: block.id, url: block.image, alt: block.title, link: block.url, width: 100, align: 'left' },
    look,
  )
  const shown = picture && safeUrl(block.image) ? `<div style="padding-bottom:12px">${picture}</div>` : ''
  const price = block.price
    ? `<p class="muted" style="margin:0;padding-top:4px;${look.font};font-size:15px;line-height:20px;color:${LIGHT.muted}">${escapeHtml(block.price)}</p>`
    : ''
  return `${shown}<h3 class="ink" style="margin:0;${look.font};font-size:18px;line-height:24px;font-weight:600;color:${LIGHT.ink}">${escapeHtml(block.title)}</h3>${price}${block.text ? `<div style="padding-top:8px">${textOf(block.text, look, 'left', 15)}</div>` : ''}<div style="padding-top:12px">${buttonOf(block.label, block.url, look)}</div>`
}

/** Beside one another while there is room: each is as wide as its share and falls below the last one where it does not fit. */
function columnsOf({ columns }: Extract<EmailBlock, { kind: 'columns' }>, look: Look): string {
  const gap = 16
  const share = Math.floor((look.width - gap * (columns.length - 1)) / columns.length)
  const cells = columns.map((parts, at) => {
    const inner = parts
      .map((part, n) => {
        const align = 'align' in part ? part.align : 'left'
        return `<tr><td align="${align}" style="padding-top:${n && part.kind !== 'spacer' ? 12 : 0}px">${partOf(part, { ...look, width: share })}</td></tr>`
      })
      .join('')
    const left = at ? gap : 0
    return `<!--[if mso]><td width="${share + left}" valign="top"><![endif]--><div class="column" style="display:inline-block;width:100%;max-width:${share + left}px;vertical-align:top;font-size:16px"><table role="presentation" width="100%" cellspacing="0" cellpadding="0" border="0"><tr><td style="padding-left:${left}px"><table role="presentation" width="100%" cellspacing="0" cellpadding="0" border="0">${inner}</table></td></tr></table></div><!--[if mso]></td><![endif]-->`
  })
  return `<!--[if mso]><table role="presentation" cellspacing="0" cellpadding="0"><tr><![endif]--><div style="font-size:0;line-height:0;text-align:left">${cells.join('')}</div><!--[if mso]></tr></table><![endif]-->`
}

export const networkNames: Record<Extract<EmailBlock, { kind: 'social' }>['links'][number]['network'], string> = {
  website: 'Website',
  facebook: 'Facebook',
  instagram: 'Instagram',
  linkedin: 'LinkedIn',
  x: 'X',
  youtube: 'YouTube',
  tiktok: 'TikTok',
  pinterest: 'Pinterest',
}
/** By name: icons would be pictures, which many programs hold back. */
function socialOf({ links }: Extract<EmailBlock, { kind: 'social' }>, look: Look): string {
  const shown = links.flatMap(({ network, url }) => {
    const to = safeUrl(url)
    return to
      ? [`<a class="link" href="${look.mark(to)}" style="color:${look.link};text-decoration:underline">${networkNames[network]}</a>`]
      : []
  })
  return `<div class="muted" style="${look.font};font-size:14px;line-height:22px;color:${LIGHT.muted}">${shown.join(' &nbsp;·&nbsp; ')}</div>`
}

function footerOf({ name, address, text }: Extract<EmailBlock, { kind: 'footer' }>, look: Look): string {
  const said = paragraphsOf(text).map(
    ({ parts }) => `<div>${parts.map((part) => inlineHtml(part, { ...look, link: LIGHT.muted })).join('')}</div>`,
  )
  return `${said.join('')}<div>${[name, address].filter(Boolean).map(escapeHtml).join(' · ')}</div>`
}

/** Black or white, whichever can be read better on the color. */
const inkOn = (color: string) => (contrast(color, '#ffffff') >= contrast(color, LIGHT.ink) ? '#ffffff' : LIGHT.ink)
/** As WCAG counts it. */
export function contrast(a: string, b: string): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
