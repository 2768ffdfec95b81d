import type { GuardedFetch } from '@operon/kit/fetch'
import type { AskPrices } from './prices.ts'
import { type Registrar, registrars } from './registrars.ts'

const EXTENSIONS = ['.com', '.net', '.org', '.io', '.co'] as const
type Extension = (typeof EXTENSIONS)[number]

/** The registries' own RDAP servers. .io and .co publish none that answers for every name, so they may stay `unknown`. */
const registries: Record<Extension, string> = {
  '.com': 'https://rdap.verisign.com/com/v1',
  '.net': 'https://rdap.verisign.com/net/v1',
  '.org': 'https://rdap.publicinterestregistry.org/rdap',
  '.io': 'https://rdap.identitydigital.services/rdap',
  '.co': 'https://rdap.registry.co/co',
}

export type DomainDeps = {
  fetch: GuardedFetch
  prices: AskPrices
  /** The operator's own links by registrar, with `{domain}` in them. They earn a commission, so they are marked. */
  affiliate: Partial<Record<Registrar['provider'], string>>
  /** The stand-in's address, when registries are sandboxed. */
  sandbox: (() => Promise<string>) | null
}

const tlds = EXTENSIONS.map((extension) => extension.slice(1))

/** Asks the registry of each extension. A name is `unknown` where the registry did not answer. */
export async function checkDomains({ fetch, prices, affiliate, sandbox }: DomainDeps, { name }: { name: string }, userId: string) {
  const label = labelOf(name)
  const base = sandbox ? await sandbox() : null
  const headers = { accept: 'application/rdap+json', ...(base && { 'x-sandbox-account': userId }) }
  const asking = Promise.all(registrars.map((registrar) => prices(registrar, tlds)))
  const results = await Promise.all(
    EXTENSIONS.map(async (extension) => {
      const domain = label + extension
      const answer = await ask(fetch, `${base ?? registries[extension]}/domain/${domain}`, headers)
      const lists = await asking
      return {
        domain,
        ...answer,
        checked_at: new Date().toISOString(),
        prices: registrars.map(({ provider, page }, index) => {
          const price = lists[index]?.of[extension.slice(1)]
          const own = affiliate[provider]
          return {
            provider,
            price_cents: price?.registration ?? null,
            original_price_cents: price?.renewal ?? null,
            as_of: price ? lists[index]!.asOf.toISOString() : null,
            link: own ? own.replaceAll('{domain}', domain) : page(domain),
            affiliate: own !== undefined,
          }
        }),
      }
    }),
  )
  return { results, sandbox: base !== null }
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
