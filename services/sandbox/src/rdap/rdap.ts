import { createHash } from 'node:crypto'
import { json, parseJson, type Route, route, type WireRequest } from '../core/wire.ts'

const WELL_KNOWN = new Set(
  'google facebook amazon apple microsoft github stripe openai notion slack hubspot meta netflix twitter linkedin shopify adobe oracle paypal spotify uber airbnb zoom dropbox example wikipedia youtube instagram operon'.split(
    ' ',
  ),
)
const TAKEN_OF_TEN = 3

export const rdapRoutes: Route[] = [
  route('GET', '/domain/:name', ({ params }) => lookUp(params.name!.toLowerCase())),
  route('POST', '/api/json/v3/pricing/get', porkbun),
  route('GET', '/v1/registrar/tlds/:tld/price', ({ params, query, headers }) => vercel(params.tld!, query, headers.authorization)),
  route('GET', '/api/getPrices', ({ query }) => namesilo(query)),
]

// Three registrars' price lists, each on its own wire. The figures are invented.
const dollars = (registration: string, renewal: string) => ({ registration, renewal, transfer: renewal })
const porkbunPrices = {
  com: dollars('11.08', '15.40'),
  net: dollars('12.52', '17.10'),
  org: dollars('7.48', '16.20'),
  io: dollars('24.90', '44.50'),
  co: dollars('9.90', '29.70'),
}

/** Needs no key. Of a field that it does not have it says nothing; refused here, so that nobody takes it for heeded. */
function porkbun(request: WireRequest) {
  const { tlds, ...others } = parseJson(request)
  const unknown = Object.keys(others)[0]
  if (unknown) return json({ status: 'ERROR', message: `Unknown field: ${unknown}` }, 400)
  const pricing = Object.entries(porkbunPrices).filter(([tld]) => !tlds || tlds.includes(tld))
  return json({ status: 'SUCCESS', pricing: Object.fromEntries(pricing) })
}

const vercelPrices: Record<string, [number, number]> = {
  com: [11.25, 15.25],
  net: [13.5, 18.5],
  org: [9.99, 17.99],
  io: [22.99, 39.99],
  co: [12.99, 28.99],
}

function vercel(tld: string, query: URLSearchParams, authorization: string | undefined) {
  const refused = (status: number, code: string, message: string) => json({ error: { code, message } }, status)
  if (!authorization?.startsWith('Bearer ')) return refused(401, 'not_authorized', 'Not authorized')
  const unknown = [...query.keys()].find((name) => name !== 'years' && name !== 'teamId')
  if (unknown) return refused(400, 'bad_request', `Invalid request: should NOT have additional property \`${unknown}\`.`)
  const prices = vercelPrices[tld]
  if (!prices) return refused(400, 'tld_not_supported', 'The TLD is not supported.')
  const years = Number(query.get('years') ?? 1)
  return json({ years, purchasePrice: prices[0] * years, renewalPrice: prices[1] * years, transferPrice: prices[1] })
}

const namesiloPrice = (registration: string, renew: string) => ({ registration, transfer: registration, renew })
function namesilo(query: URLSearchParams) {
  const request = { operation: 'getPrices', ip: '127.0.0.1' }
  const refused = (code: number, detail: string) => json({ request, reply: { code, detail } })
  const unknown = [...query.keys()].find((name) => !['version', 'type', 'key'].includes(name))
  if (unknown) return refused(101, `Unknown parameter: ${unknown}`)
  if (query.get('type') !== 'json') return refused(102, 'XML, the other form of this API, is not played here: ask for type=json')
  if (query.get('version') !== '1') return refused(102, 'No version used')
  if (!query.get('key')) return refused(110, 'Invalid API Key')
  return json({
    request,
    reply: {
      code: 300,
      detail: 'success',
      com: namesiloPrice('13.95', '17.29'),
      net: namesiloPrice('14.45', '18.19'),
      org: namesiloPrice('8.79', '15.89'),
      io: namesiloPrice('34.99', '47.99'),
      co: namesiloPrice('11.49', '31.99'),
    },
  })
}

// A jCard begins with its version (RFC 7095).
const version = ['version', {}, 'text', '4.0']

/** A registry answers 404 for a free name. The answer for a name never changes. */
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
      entities: [
        { objectClassName: 'entity', roles: ['registrar'], vcardArray: ['vcard', [version, ['fn', {}, 'text', 'Sandbox Registrar']]] },
      ],
      nameservers: [{ objectClassName: 'nameserver', ldhName: `NS1.${name.toUpperCase()}` }],
    },
    200,
    rdap,
  )
}
