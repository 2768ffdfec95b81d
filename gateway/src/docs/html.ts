import { escaped } from '../frames.ts'

/** Text that is HTML already. Everything else that `html` is given is escaped. */
export type Html = { text: string }
type Part = Html | string | Part[]

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => ({
  text: strings.reduce((text, string, at) => text + (at ? textOf(parts[at - 1]!) : '') + string, ''),
})

function textOf(part: Part): string {
  if (Array.isArray(part)) return part.map(textOf).join('\n')
  return typeof part === 'string' ? escaped(part) : part.text
}

/** Contracts put names into backticks. */
export const prose = (text: string): Html => ({ text: escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>') })

export const code = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`

/** References lead to what they refer to. */
export const json = (value: unknown): Html => ({
  text: `<pre tabindex="0">${escaped(JSON.stringify(value, null, 2)).replaceAll(/&quot;#\/components\/([\w./-]+)&quot;/g, '<a href="#$1">$1</a>')}</pre>`,
})
