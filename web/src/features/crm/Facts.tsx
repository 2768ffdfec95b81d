import type { ReactNode } from 'react'

/** The label and value of each fact; an empty one is left out. */
export function Facts({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-13">
      {facts
        .filter(([, value]) => value)
        .map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="break-words text-muted">{label}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** A fact that opens the panel of its own. */
export function FactLink({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className="underline underline-offset-2" onClick={onClick}>
      {children}
    </button>
  )
}
