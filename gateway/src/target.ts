export type Target = { path: string; query: string }

// Percent-encodings that one parser might read as structure and the next as text: / \ . % and every control character.
const ambiguous = /%(?:2f|5c|2e|25|7f|[01][0-9a-f])/i
const unsafe = /[^\u0021-\u007e]|[\\#]/

/**
 * The path that both the gateway and the service will understand in the same way, decoded, or null where they might not.
 * The request target is forwarded as it came.
 */
export function readTarget(url: string): Target | null {
  if (url.charCodeAt(0) !== 47 || unsafe.test(url)) return null
  const mark = url.indexOf('?')
  const raw = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark + 1)
  if (raw.includes('//') || (raw.includes('/.') && /\/\.{1,2}(?:\/|$)/.test(raw)) || ambiguous.test(raw)) return null
  const path = raw.includes('%') ? decode(raw) : raw
  if (path === null) return null
  return { path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path, query }
}

/** `http://host/path` is `/path` where that host is the one that the request names anyway; what else it may be is refused as it is. */
export function originForm(url: string, host: string | undefined): string {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url) ?? []
  if (authority === undefined || authority.toLowerCase() !== host?.toLowerCase()) return url
  return rest.startsWith('/') ? rest : `/${rest}`
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
