import type { checkDomains } from '@operon/contracts/ai-gateway/tools'
import type { Reply } from '@operon/contracts/contract'
import { RefreshCw } from 'lucide-react'
import { useCall } from '../../api/call.ts'
import { IconButton } from '../../ui/Button.tsx'
import { moment, money } from '../../ui/format.ts'
import { Asked, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'

type Check = Reply<typeof checkDomains>
type Domain = Check['results'][number]
const tones = { available: 'good', taken: 'neutral', unknown: 'warn' } as const
const words = { available: 'Available', taken: 'Taken', unknown: 'Unknown' } as const

/** Availability by extension, with the prices of three registrars. */
export function Domains({ name }: { name: string }) {
  const check = useCall('check-domains', { name: name.slice(0, 63) }, { staleTime: 5 * 60_000 })
  return (
    <Panel
      title={`Domains for ${name}`}
      badge={check.data?.sandbox ? <Pill>Sandbox registry</Pill> : null}
      flush
      actions={
        <IconButton label="Check again" disabled={check.isFetching} onClick={() => check.refetch()}>
          <RefreshCw />
        </IconButton>
      }
    >
      {check.isPending ? (
        <div role="status" className="flex flex-col gap-2 p-4">
          <p className="text-13 text-muted">Checking with five registries…</p>
          {[0, 1, 2, 3, 4].map((row) => (
            <Skeleton key={row} className="h-12" />
          ))}
        </div>
      ) : null}
      <Asked query={check} failed="The domains could not be checked" />
      {check.data ? (
        <>
          <div className="overflow-x-auto">
            <table className="w-full text-left text-13">
              <caption className="sr-only">Availability and prices of {name} by extension</caption>
              <thead className="border-b border-line text-12 text-faint max-sm:hidden">
                <tr>
                  <th scope="col" className="px-4 py-2 font-medium">
                    Domain
                  </th>
                  {check.data.results[0]?.prices.map(({ provider }) => (
                    <th key={provider} scope="col" className="px-4 py-2 text-right font-medium">
                      {provider}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody className="divide-y divide-line">
                {check.data.results.map((domain) => (
                  <Row key={domain.domain} domain={domain} />
                ))}
              </tbody>
            </table>
          </div>
          <PriceNote check={check.data} />
        </>
      ) : null}
    </Panel>
  )
}

function PriceNote({ check: { results, sandbox } }: { check: Check }) {
  const prices = results.flatMap((result) => result.prices)
  const oldest = prices
    .flatMap(({ as_of }) => as_of ?? [])
    .sort()
    .at(0)
  const priceless = [...new Set(prices.filter(({ price_cents }) => price_cents === null).map(({ provider }) => provider))]
  const affiliates = [...new Set(prices.filter(({ affiliate }) => affiliate).map(({ provider }) => provider))]
  return (
    <p className="border-t border-line px-4 py-3 text-12 text-muted">
      {sandbox ? 'Sample prices from the sandbox, not real offers. ' : null}
      {oldest ? `Prices for the first year, then for each later year, as of ${moment(oldest)}. ` : null}
      {priceless.length > 0 ? `${list.format(priceless)}: see the price on the registrar's page. ` : null}
      {affiliates.length > 0 ? `We earn a commission from the affiliate links to ${list.format(affiliates)}.` : null}
    </p>
  )
}

const list = new Intl.ListFormat('en')

function Row({ domain: { domain, status, reason, prices } }: { domain: Domain }) {
  return (
    <tr className="max-sm:grid max-sm:grid-cols-3 max-sm:gap-x-2 max-sm:px-4 max-sm:py-3">
      <th scope="row" className="px-4 py-2.5 align-top font-normal max-sm:col-span-3 max-sm:p-0">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-mono break-all">{domain}</span>
          <Pill tone={tones[status]}>{words[status]}</Pill>
        </span>
        {reason ? <span className="block text-12 text-muted">{reason}</span> : null}
      </th>
      {prices.map(({ provider, price_cents, original_price_cents, link, affiliate }) => (
        <td key={provider} className="px-4 py-2.5 text-right align-top max-sm:p-0 max-sm:pt-2 max-sm:text-left">
          {status === 'taken' ? (
            <span className="text-faint max-sm:hidden">–</span>
          ) : (
            <a
              href={link}
              target="_blank"
              rel={affiliate ? 'noopener noreferrer sponsored' : 'noopener noreferrer'}
              aria-label={price_cents === null ? `${domain} at ${provider}` : `${domain} at ${provider}, ${money(price_cents)}`}
              className="inline-flex min-h-6 flex-col justify-center underline decoration-line underline-offset-4 hover:decoration-current"
            >
              <span className="text-12 text-muted sm:hidden">{provider}</span>
              {price_cents === null ? (
                <span className="text-muted">See price</span>
              ) : (
                <span className="font-mono tabular">{money(price_cents)}</span>
              )}
            </a>
          )}
          {status === 'taken' || original_price_cents === null ? null : (
            <span className="block font-mono text-12 text-faint tabular">then {money(original_price_cents)}</span>
          )}
          {status === 'taken' || !affiliate ? null : <span className="block text-12 text-muted">Affiliate link</span>}
        </td>
      ))}
    </tr>
  )
}
