import postcss, { type Rule } from 'postcss'

// Written by scripts before the app is there, so in no page's HTML.
const always = new Set(['painted'])

/** The part of a stylesheet that a page can need before its app has come: rules of classes that it has, and what they refer to. */
export function stylesFor(html: string, css: string): string {
  const used = new Set(always)
  for (const [, names] of html.matchAll(/ class="([^"]*)"/g)) for (const name of names!.split(/\s+/)) used.add(unescapeHtml(name))
  const root = postcss.parse(css)
  root.walkComments((comment) => void comment.remove())
  root.walkRules((rule) => {
    if (isKeyframe(rule)) return
    const kept = rule.selectors.filter((selector) => classesIn(selector).every((name) => used.has(name)))
    if (!kept.length) rule.remove()
    else if (kept.length < rule.selectors.length) rule.selectors = kept
  })
  root.walkAtRules('layer', (layer) => void (layer.params === 'properties' && layer.nodes && layer.removeAll()))
  const said = root.toString()
  root.walkDecls(/^--/, (variable) => void (!said.includes(`var(${variable.prop}`) && variable.remove()))
  root.walkAtRules((rule) => {
    const unused =
      (rule.name === 'property' && said.split(rule.params).length < 3 && !said.includes(`var(${rule.params}`)) ||
      (rule.name === 'keyframes' && !new RegExp(`animation[^;}]*[: ]${rule.params}[ ;},]`).test(said)) ||
      (rule.nodes?.length === 0 && rule.name !== 'layer')
    if (unused) rule.remove()
  })
  return root.toString()
}

const isKeyframe = (rule: Rule) => rule.parent?.type === 'atrule' && 'name' in rule.parent && rule.parent.name === 'keyframes'

function classesIn(selector: string): string[] {
  return [...selector.matchAll(/\.((?:\\.|[\w-])+)/g)].map(([, name]) => name!.replaceAll(/\\(.)/g, '$1'))
}

function unescapeHtml(text: string) {
  return text.replaceAll('&amp;', '&').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&#x27;', "'")
}
