import { BlockList, isIP } from 'node:net'
import { SetupError } from '@operon/kit/config'

export type Addresses = {
  isTrusted(remote: string | undefined): boolean
  client(remote: string | undefined, forwardedFor: string | string[] | undefined): string
}

/** Whom a request comes from. What proxies say is believed only from those that TRUSTED_PROXIES names (addresses, ranges, `loopback`). */
export function addressReader(trustedProxies: string): Addresses {
  const trusted = blockList(trustedProxies)
  const isTrusted = (address: string) =>
    trusted !== null && isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return {
    isTrusted: (remote: string | undefined) => isTrusted(plain(remote)),
    client(remote: string | undefined, forwardedFor: string | string[] | undefined): string {
      const address = plain(remote)
      if (!forwardedFor || !isTrusted(address)) return address
      const hops = String(forwardedFor)
        .split(',')
        .map((hop) => plain(hop.trim()))
      // From the nearest hop outwards: the first that is no proxy of ours is the client.
      for (const hop of hops.reverse()) if (isIP(hop) !== 0 && !isTrusted(hop)) return hop
      return address
    },
  }
}

const plain = (address: string | undefined): string => (address?.startsWith('::ffff:') ? address.slice(7) : (address ?? ''))

export const isLoopback = (address: string | undefined): boolean => /^(::1$|127\.)/.test(plain(address))

/** Limits see an IPv6 customer's whole /64: one host has as many addresses in it as it likes. */
export function limitedAs(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  if (tail === undefined) return groups.slice(0, 4).join(':')
  const after = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}

function blockList(text: string): BlockList | null {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  if (parts.length === 0) return null
  const list = new BlockList()
  for (const part of parts.flatMap((each) => (each === 'loopback' ? ['127.0.0.0/8', '::1'] : [each]))) {
    const [address = '', bits] = part.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (isIP(address) === 0) throw new SetupError(`TRUSTED_PROXIES: ${part} is no address, range or "loopback"`)
    if (bits) list.addSubnet(address, Number(bits), family)
    else list.addAddress(address, family)
  }
  return list
}
