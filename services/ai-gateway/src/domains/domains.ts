import type { GuardedFetch } from '@operon/kit/fetch'

export const EXTENSIONS = ['.com', '.net', '.org', '.io', '.co'] as const
type Extension = (typeof EXTENSIONS)[number]

/** The registries' own RDAP servers. .io and .co publish none that answers for every name, so they may stay `unknown`. */
const registries: Record<Extension, string> = {
  '.com': 'https://rdap.verisign.com/com/v1',
  '.net': 'https://rdap.verisign.com/net/v1',
  '.org': 'https://rdap.publicinterestregistry.org/rdap',
  '.io': 'https://rdap.identitydigital.services/rdap',
  '.co': 'https://rdap.registry.co/co',
}

/** Typical list prices for the first year and after, compiled by hand and not looked up: the page says so and links to each registrar. */
export const PRICES_AS_OF = '2025-01-01'
const prices: Record<Extension, [cents: number, renewsAtCents: number][]> = {
  '.com': [
    [1044, 1044],
    [1128, 1628],
    [1199, 2199],
  ],
  '.net': [
    [1184, 1184],
    [1298, 1798],
    [1499, 2499],
  ],
  '.org': [
    [1011, 1011],
    [998, 1598],
    [1099, 2399],
  ],
  '.io': [
    [4500, 4500],
    [3498, 5798],
    [3999, 6499],
  ],
  '.co': [
    [2600, 2600],
    [1198, 3298],
    [1299, 3999],
  ],
}
const registrars = [
  { provider: 'Cloudflare', link: (domain: string) => `https://domains.cloudflare.com/?domain=${domain}` },
  { provider: 'Namecheap', link: (domain: string) => `https://www.namecheap.com/domains/registration/results/?domain=${domain}` },
  { provider: 'GoDaddy', link: (domain: string) => `https://www.godaddy.com/domainsearch/find?domainToCheck=${domain}` },
]

export type DomainDeps = {
  fetch: GuardedFetch /** The stand-in's address, when registries are sandboxed. */
  sandbox: (() => Promise<string>) | null
}

/** Asks each extension's registry. What a registry did not say is `unknown`. */
export async function checkDomains({ fetch, sandbox }: DomainDeps, { name }: { name: string }) {
  const label = labelOf(name)
  const base = sandbox ? await sandbox() : null
  const results = await Promise.all(
    EXTENSIONS.map(async (extension) => {
      const domain = label + extension
      const answer = await ask(fetch, `${base ?? registries[extension]}/domain/${domain}`)
      return {
        domain,
        ...answer,
        checked_at: new Date().toISOString(),
        prices: registrars.map(({ provider, link }, i) => ({
          provider,
          price_cents: prices[extension][i]![0],
          original_price_cents: prices[extension][i]![1],
          link: link(domain),
        })),
      }
    }),
  )
  return { results, prices_as_of: PRICES_AS_OF, sandbox: base !== null }
}

async function ask(fetch: GuardedFetch, url: string): Promise<{ status: 'available' | 'taken' | 'unknown'; reason: string | null }> {
  try {
    const response = await fetch(url, { deadlineMs: 5000, tries: 2, headers: { accept: 'application/rdap+json' } })
    await response.body?.cancel()
    if (response.status === 404) return { status: 'available', reason: null }
    if (response.status === 200) return { status: 'taken', reason: null }
    return { status: 'unknown', reason: `The registry answered ${response.status}.` }
  } catch {
    return { status: 'unknown', reason: 'The registry could not be reached.' }
  }
}

/** A business name as a host label: letters, digits and single hyphens. */
export function labelOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return (
    plain
      .replace(/[^a-z0-9-]/g, '')
      .replace(/-+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 63) || 'name'
  )
}
