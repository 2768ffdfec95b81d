import postcss, { type AtRule, type Root, type Rule } from 'postcss'

// Written by scripts before the app is there, so in no page's HTML.
const always = new Set(['painted', 'said'])

/**
 * The part of a stylesheet that a page can need before its app has come: rules of what it has, at rest, and what they refer to.
 * Everything that a person brings about (hover, focus, an open dialog, and how they move) begins with a sign that fetches the whole sheet.
 */
export function stylesFor(html: string, css: string): string {
  const page = contentsOf(html)
  const root = postcss.parse(css)
  root.walkComments((comment) => void comment.remove())
  root.walkDecls(/^transition/, (motion) => void motion.remove())
  // The reset's colour of placeholders, which the base styles replace.
  root.walkAtRules('supports', (test) => void (test.params.includes('-apple-pay-button') && test.remove()))
  root.walkRules((rule) => {
    const said = new Set<string>()
    rule.walkDecls((decl) => void (said.has(String(decl)) ? decl.remove() : said.add(String(decl))))
    if (isKeyframe(rule)) return
    const kept = rule.selectors.filter((selector) => mayMatch(selector, page))
    if (!kept.length) rule.remove()
    else if (kept.length < rule.selectors.length) rule.selectors = kept
  })
  root.walkAtRules('layer', (layer) => void (layer.params === 'properties' && layer.nodes && layer.removeAll()))
  root.walkAtRules('font-face', (face) => void (isWritten(face, page.text) || face.remove()))
  dropUnused(root)
  return root.toString()
}

type Page = { classes: Set<string>; elements: Set<string>; html: string; text: string }

function contentsOf(html: string): Page {
  const classes = new Set(always)
  for (const [, names] of html.matchAll(/ class="([^"]*)"/g)) for (const name of names!.split(/\s+/)) classes.add(unescapeHtml(name))
  const elements = new Set([...html.matchAll(/<([a-z][\w-]*)/g)].map(([, name]) => name!))
  return { classes, elements, html, text: unescapeHtml(html.replaceAll(/<[^>]*>/g, '')) }
}

const brought = /:(?:hover|active|focus(?!-visible))\b|^dialog|\[open\]/
const partsOfInputs: [part: RegExp, type: RegExp][] = [
  [/::-webkit-(?:date|calendar)/, /type="(?:date|time|month|week)/],
  [/::file-selector-button/, /type="file"/],
  [/::-webkit-search/, /type="search"/],
  [/::-webkit-(?:inner|outer)-spin/, /type="number"/],
]

function mayMatch(selector: string, { classes, elements, html }: Page): boolean {
  if (brought.test(selector) || partsOfInputs.some(([part, type]) => part.test(selector) && !type.test(html))) return false
  if (!classesIn(selector).every((name) => classes.has(name))) return false
  // Inside of parentheses stand alternatives and exceptions; outside, each element named must be there.
  const plain = withoutParentheses(selector).replaceAll(/\\.|\[[^\]]*\]|[.#:]+(?:\\.|[\w-])+/g, '')
  return [...plain.matchAll(/[a-z][\w-]*/g)].every(([name]) => elements.has(name))
}

function withoutParentheses(selector: string): string {
  const inner = selector.replaceAll(/(?<!\\)\([^()]*(?<!\\)\)/g, '')
  return inner === selector ? inner : withoutParentheses(inner)
}

/** A face without `unicode-range` is meant for any text. */
function isWritten(face: AtRule, text: string): boolean {
  const ranges = face.nodes?.find((node) => node.type === 'decl' && node.prop === 'unicode-range')
  if (ranges?.type !== 'decl') return true
  const spans = [...ranges.value.matchAll(/U\+([\dA-F]+)(?:-([\dA-F]+))?/gi)].map(([, from, to]) => [
    Number.parseInt(from!, 16),
    Number.parseInt(to ?? from!, 16),
  ])
  return [...text].some((sign) => spans.some(([from, to]) => sign.codePointAt(0)! >= from! && sign.codePointAt(0)! <= to!))
}

/** Variables, properties and keyframes that no rule left refers to, and rules that are empty now. */
function dropUnused(root: Root) {
  const said = root.toString()
  const set = new Set([...said.matchAll(/[{;](--[\w-]+):/g)].map(([, name]) => name!))
  root.walkDecls((decl) => {
    // A default that nobody sets, beside what it is without one.
    const [, unset] = /^var\((--default-[\w-]+), ?normal\)$/.exec(decl.value) ?? []
    if (unset && !set.has(unset)) return void decl.remove()
    // The fallback beside a variable.
    decl.value = decl.value.replaceAll(/var\((--default-[\w-]+),[^()]*\)/g, (whole, name: string) =>
      set.has(name) ? `var(${name})` : whole,
    )
  })
  root.walkDecls(/^--/, (variable) => void (!said.includes(`var(${variable.prop}`) && variable.remove()))
  root.walkAtRules((rule) => {
    const unused =
      (rule.name === 'property' && said.split(rule.params).length < 3 && !said.includes(`var(${rule.params}`)) ||
      (rule.name === 'keyframes' && !new RegExp(`animation[^;}]*[: ]${rule.params}[ ;},!]`).test(said))
    if (unused) rule.remove()
  })
  let empty: number
  do {
    empty = 0
    root.walk((node) => {
      if ((node.type === 'rule' || (node.type === 'atrule' && node.name !== 'layer')) && node.nodes?.length === 0) {
        node.remove()
        empty++
      }
    })
  } while (empty)
}

const isKeyframe = (rule: Rule) => rule.parent?.type === 'atrule' && 'name' in rule.parent && rule.parent.name === 'keyframes'

function classesIn(selector: string): string[] {
  return [...selector.matchAll(/\.((?:\\.|[\w-])+)/g)].map(([, name]) => name!.replaceAll(/\\(.)/g, '$1'))
}

function unescapeHtml(text: string) {
  return text.replaceAll('&amp;', '&').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&#x27;', "'")
}
