import { BlockList, isIP } from 'node:net'
import { readAddress } from '@operon/kit/addresses'
import { SetupError } from '@operon/kit/config'

export type Addresses = {
  isTrusted(remote: string | undefined): boolean
  client(remote: string | undefined, forwardedFor: string | string[] | undefined): string
}

/** The address of a request's sender. A forwarded address is believed only from proxies that TRUSTED_PROXIES names (addresses, ranges, `loopback`). */
export function addressReader(trustedProxies: string): Addresses {
  const trusted = blockList(trustedProxies)
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return {
    isTrusted: (remote: string | undefined) => isTrusted(plain(remote)),
    client(remote: string | undefined, forwardedFor: string | string[] | undefined): string {
      let client = plain(remote)
      if (!forwardedFor || !isTrusted(client)) return client
      const hops = String(forwardedFor).split(',').reverse()
      // From the nearest hop outwards, as long as each is a proxy of ours. Behind one that names no address anybody may have written anything.
      for (const hop of hops) {
        const address = readAddress(hop.trim())
        if (address === null) return client
        client = address
        if (!isTrusted(client)) return client
      }
      return client
    },
  }
}

const plain = (address: string | undefined): string => (address?.startsWith('::ffff:') ? address.slice(7) : (address ?? ''))

export const isLoopback = (address: string | undefined): boolean => /^(::1$|127\.)/.test(plain(address))

function blockList(text: string): BlockList {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
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
