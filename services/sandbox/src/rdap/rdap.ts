import { createHash } from 'node:crypto'
import { json, type Route, route } from '../core/wire.ts'

const WELL_KNOWN = new Set(
  'google facebook amazon apple microsoft github stripe openai notion slack hubspot meta netflix twitter linkedin shopify adobe oracle paypal spotify uber airbnb zoom dropbox example wikipedia youtube instagram operon'.split(
    ' ',
  ),
)
const TAKEN_OF_TEN = 3

export const rdapRoutes: Route[] = [
  route('GET', '/domain/:name', ({ params }) => lookUp(params.name!.toLowerCase())),
  route('POST', '/api/json/v3/pricing/get', () => json(prices)),
]

const dollars = (registration: string, renewal: string) => ({ registration, renewal, transfer: renewal })
/** As Porkbun tells its prices to everybody; the figures are nobody's. */
const prices = {
  status: 'SUCCESS',
  pricing: {
    com: dollars('11.08', '15.40'),
    net: dollars('12.52', '17.10'),
    org: dollars('7.48', '16.20'),
    io: dollars('24.90', '44.50'),
    co: dollars('9.90', '29.70'),
  },
}

/** 404 is how a registry says that a name is free. The answer for a name never changes. */
function lookUp(name: string) {
  const rdap = { 'content-type': 'application/rdap+json' }
  if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(name)) {
    return json({ rdapConformance: ['rdap_level_0'], errorCode: 400, title: 'Bad Request', description: ['Not a domain name'] }, 400, rdap)
  }
  const hash = createHash('sha256').update(name).digest()
  if (!WELL_KNOWN.has(name.split('.')[0]!) && hash[0]! % 10 >= TAKEN_OF_TEN) {
    return json({ rdapConformance: ['rdap_level_0'], errorCode: 404, title: 'Not Found', description: ['No such domain'] }, 404, rdap)
  }
  const year = 1998 + (hash[1]! % 25)
  return json(
    {
      objectClassName: 'domain',
      rdapConformance: ['rdap_level_0', 'icann_rdap_response_profile_0'],
      handle: `${hash.toString('hex').slice(0, 10).toUpperCase()}_DOMAIN`,
      ldhName: name.toUpperCase(),
      status: ['client transfer prohibited'],
      events: [
        { eventAction: 'registration', eventDate: `${year}-03-14T09:26:53Z` },
        { eventAction: 'expiration', eventDate: `2031-03-14T09:26:53Z` },
      ],
      entities: [{ objectClassName: 'entity', roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'Sandbox Registrar']]] }],
      nameservers: [{ objectClassName: 'nameserver', ldhName: `NS1.${name.toUpperCase()}` }],
    },
    200,
    rdap,
  )
}
