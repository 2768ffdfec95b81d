import { createHash, timingSafeEqual } from 'node:crypto'
import { json, redirect, type WireReply, type WireRequest } from './wire.ts'

const COOKIE = 'operon-sandbox'

/**
 * Nothing to answer for whoever has the key: in `x-sandbox-key`, or in the cookie that `/sandbox?key=…` leaves in a browser. Everybody else
 * finds nothing here.
 */
export function guarded({ path, query, headers }: WireRequest, key: string, publicUrl: string): WireReply | null {
  if (isKey(String(headers['x-sandbox-key'] ?? ''), key)) return null
  const kept = (headers.cookie ?? '').split('; ').find((pair) => pair.startsWith(`${COOKIE}=`))
  if (kept && isKey(kept.slice(COOKIE.length + 1), fingerprint(key))) return null
  if (path !== '/sandbox' || !isKey(query.get('key') ?? '', key)) return json({ message: 'There is nothing at this address.' }, 404)
  const reply = redirect('/sandbox')
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return {
    ...reply,
    headers: { ...reply.headers, 'set-cookie': `${COOKIE}=${fingerprint(key)}; Path=/sandbox; HttpOnly; SameSite=Lax${secure}` },
  }
}

const fingerprint = (key: string) => createHash('sha256').update(`operon-sandbox ${key}`).digest('base64url')
/** Both are hashed first, so that the time it takes tells nothing, not even a length. */
const isKey = (given: string, key: string) => timingSafeEqual(digest(given), digest(key))
const digest = (text: string) => createHash('sha256').update(text).digest()
