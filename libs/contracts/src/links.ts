// Links that an event leaves in a notice or in Recent Activity. No zod here: the web app follows them.

/** A path of the app as the router takes it: never another site, a script, or a spelling that a browser would read as one of these. */
export function isAppPath(link: unknown): link is `/${string}` {
  if (typeof link !== 'string' || !link.startsWith('/') || link.length > 500) return false
  const [path = ''] = link.split(/[?#]/)
  if (path.includes('//') || !URL.canParse(link, base)) return false
  // A backslash, a control character or a dot segment is read as something else than what is written.
  return new URL(link, base).href === `${base}${link}`
}
const base = 'https://app.invalid'
