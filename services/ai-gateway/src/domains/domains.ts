import type { GuardedFetch } from '@operon/kit/fetch'
import type { AskPrices } from './prices.ts'

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

const registrars = [
  { provider: 'Porkbun', tells: true, link: (domain: string) => `https://porkbun.com/checkout/search?q=${domain}` },
  { provider: 'Cloudflare', tells: false, link: (domain: string) => `https://domains.cloudflare.com/?domain=${domain}` },
  {
    provider: 'Namecheap',
    tells: false,
    link: (domain: string) => `https://www.namecheap.com/domains/registration/results/?domain=${domain}`,
  },
]

export type DomainDeps = {
  fetch: GuardedFetch
  prices: AskPrices
  /** The stand-in's address, when registries are sandboxed. */
  sandbox: (() => Promise<string>) | null
}

/** Asks each extension's registry. What a registry did not say is `unknown`. */
export async function checkDomains({ fetch, prices, sandbox }: DomainDeps, { name }: { name: string }, userId: string) {
  const label = labelOf(name)
  const base = sandbox ? await sandbox() : null
  const headers = { accept: 'application/rdap+json', ...(base && { 'x-sandbox-account': userId }) }
  const asking = prices(EXTENSIONS.map((extension) => extension.slice(1)))
  const results = await Promise.all(
    EXTENSIONS.map(async (extension) => {
      const domain = label + extension
      const answer = await ask(fetch, `${base ?? registries[extension]}/domain/${domain}`, headers)
      const price = (await asking)?.of[extension.slice(1)]
      return {
        domain,
        ...answer,
        checked_at: new Date().toISOString(),
        prices: registrars.map(({ provider, tells, link }) => ({
          provider,
          price_cents: (tells && price?.registration) || null,
          original_price_cents: (tells && price?.renewal) || null,
          link: link(domain),
        })),
      }
    }),
  )
  return { results, prices_as_of: (await asking)?.asOf.toISOString() ?? null, sandbox: base !== null }
}

async function ask(
  fetch: GuardedFetch,
  url: string,
  headers: Record<string, string>,
): Promise<{ status: 'available' | 'taken' | 'unknown'; reason: string | null }> {
  try {
    const response = await fetch(url, { deadlineMs: 5000, tries: 2, headers })
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
