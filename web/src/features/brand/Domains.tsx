import type { checkDomains } from '@operon/contracts/ai-gateway'
import type { Reply } from '@operon/contracts/contract'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { aiCall } from '../../api/ai.ts'
import { IconButton } from '../../ui/Button.tsx'
import { day, money } from '../../ui/format.ts'
import { ErrorState, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'

type Check = Reply<typeof checkDomains>
type Domain = Check['results'][number]
const tones = { available: 'good', taken: 'neutral', unknown: 'warn' } as const
const words = { available: 'Available', taken: 'Taken', unknown: 'Unknown' } as const

/** What each extension's registry says of the name. */
export function Domains({ name }: { name: string }) {
  const check = useQuery({
    queryKey: ['domains', name],
    queryFn: () => aiCall<Check>('check-domains', { name: name.slice(0, 63) }),
    staleTime: 5 * 60_000,
  })
  return (
    <Panel
      title={`Domains for ${name}`}
      badge={check.data?.sandbox ? <Pill>Sandbox registry</Pill> : null}
      flush
      actions={
        <IconButton label="Ask again" disabled={check.isFetching} onClick={() => check.refetch()}>
          <RefreshCw />
        </IconButton>
      }
    >
      {check.isPending ? (
        <div role="status" className="flex flex-col gap-2 p-4">
          <p className="text-13 text-muted">Asking five registries…</p>
          {[0, 1, 2, 3, 4].map((row) => (
            <Skeleton key={row} className="h-12" />
          ))}
        </div>
      ) : null}
      {check.isError ? <ErrorState title="The registries could not be asked" error={check.error} retry={() => check.refetch()} /> : null}
      {check.data ? (
        <>
          <ul className="divide-y divide-line">
            {check.data.results.map((domain) => (
              <Row key={domain.domain} domain={domain} />
            ))}
          </ul>
          <p className="border-t border-line px-4 py-3 text-12 text-faint">
            Approximate list prices as of {day(check.data.prices_as_of)}, first year (then the renewal price): confirm at the registrar.
            They are compiled by hand, not quoted; the links are plain links that earn nobody a commission.
          </p>
        </>
      ) : null}
    </Panel>
  )
}

function Row({ domain: { domain, status, reason, prices } }: { domain: Domain }) {
  return (
    <li className="px-4 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-mono text-13 break-all">{domain}</span>
        <Pill tone={tones[status]}>{words[status]}</Pill>
        {reason ? <span className="text-12 text-muted">{reason}</span> : null}
      </p>
      {status === 'taken' ? null : (
        <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-12">
          {prices.map(({ provider, price_cents, original_price_cents, link }) => (
            <li key={provider}>
              <a href={link} target="_blank" rel="noopener noreferrer" className="inline-flex min-h-6 items-center gap-1.5 hover:underline">
                <span className="text-muted">{provider}</span>
                <span className="font-mono tabular">about {money(price_cents)}</span>
                {original_price_cents === price_cents ? null : (
                  <span className="font-mono text-faint tabular">then {money(original_price_cents)}</span>
                )}
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
