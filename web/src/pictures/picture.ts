import type { CallReply } from '@operon/contracts/calls'
import { thumbHashToDataURL } from 'thumbhash'

export type Picture = CallReply<'list-images'>['pictures'][number]

export const isOpen = ({ state }: Pick<Picture, 'state'>) => state === 'queued' || state === 'running'

/** The files lie behind this very server, whatever name it calls itself by. */
export function here(url: string): string {
  const { pathname, search } = new URL(url, location.origin)
  return pathname + search
}

const drawn = new Map<string, string>()
const MOST_DRAWN = 2000

/** A blurred picture out of a few dozen bytes, there before anything is fetched. */
export function blurOf(thumbhash: string | null): string | undefined {
  if (!thumbhash) return undefined
  const known = drawn.get(thumbhash)
  if (known) return known
  const url = thumbHashToDataURL(Uint8Array.from(atob(thumbhash), (char) => char.charCodeAt(0)))
  if (drawn.size >= MOST_DRAWN) drawn.clear()
  drawn.set(thumbhash, url)
  return url
}
