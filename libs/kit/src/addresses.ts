import { isIP } from 'node:net'

/** The unit that a limit counts as one caller: an IPv4 address, an IPv6 customer's /64, or a whole /48 from which many of those have come. */
export const callerAt = (address: string): string => callers.at(address)

/** An address without brackets, port or zone, IPv4 in IPv6 as IPv4; null where the text is none. */
export function readAddress(text: string | undefined): string | null {
  if (text === undefined) return null
  const bare = /^\[(.*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? (/^[\d.]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(':')) : text)
  const family = isIP(bare)
  if (family !== 6) return family === 4 ? bare : null
  return ipv4In(groupsOf(bare)) ?? bare.replace(/%.*$/, '').toLowerCase()
}

/** The network of an address as a database reads it: an IPv6 customer's /64, or the IPv4 address alone. */
export function networkOf(address: string): string | null {
  const known = readAddress(address)
  return known?.includes(':') ? networkIn(groupsOf(known), 64) : known
}

function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::')
  const [before, after] = [partsOf(head), partsOf(tail)]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

/** The groups on one side of `::`. The last two may be written as IPv4. */
const partsOf = (side: string): number[] =>
  side
    .split(':')
    .filter(Boolean)
    .flatMap((part) => {
      if (!part.includes('.')) return [Number.parseInt(part, 16)]
      const [a, b, c, d] = part.split('.').map(Number) as [number, number, number, number]
      return [a * 256 + b, c * 256 + d]
    })

function ipv4In(groups: number[]): string | null {
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  const [high, low] = groups.slice(6) as [number, number]
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : null
}

const networkIn = (groups: number[], bits: 48 | 64): string =>
  `${groups
    .slice(0, bits / 16)
    .map((group) => group.toString(16))
    .join(':')}::/${bits}`

/** So many networks of one /48 are callers of their own. More within a window is somebody who has all of it. */
const NETWORKS_APART = 16
const WINDOW_MS = 15 * 60_000
const KEPT_BLOCKS = 20_000

export class CallerNetworks {
  readonly #blocks = new Map<string, { since: number; networks: Set<string> }>()

  at(address: string): string {
    if (!address.includes(':')) return address
    if (isIP(address) !== 6) return readAddress(address) ?? address
    const groups = groupsOf(address)
    const ipv4 = ipv4In(groups)
    if (ipv4) return ipv4
    const [network, block] = [networkIn(groups, 64), networkIn(groups, 48)]
    const { networks } = this.#seenOf(block)
    if (networks.size <= NETWORKS_APART) networks.add(network)
    return networks.size > NETWORKS_APART ? block : network
  }

  #seenOf(block: string) {
    const known = this.#blocks.get(block)
    if (known && performance.now() - known.since < WINDOW_MS) return known
    const fresh = { since: performance.now(), networks: new Set<string>() }
    this.#blocks.delete(block)
    // The one known for longest gives way.
    if (this.#blocks.size >= KEPT_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!)
    this.#blocks.set(block, fresh)
    return fresh
  }
}

const callers = new CallerNetworks()
