import type { ReactNode } from 'react'

/** Names and values, a line each. What is empty is left out. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="flex flex-col gap-2 text-13 [&_code]:text-12">
      {facts.map(([name, value]) =>
        value ? (
          <div key={name} className="flex items-baseline justify-between gap-4">
            <dt className="shrink-0 text-muted">{name}</dt>
            <dd className="min-w-0 text-right break-words [&>code]:break-all">{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}
