import { type KeyboardEvent, type ReactNode, useEffect, useId } from 'react'
import { cx } from './cx.ts'

export type Tab<K extends string> = { id: K; label: ReactNode; panel: ReactNode }

/** Tabs with arrow keys. Only the chosen panel is mounted. */
export function Tabs<K extends string>({
  tabs,
  value,
  onChange,
  label,
  className,
  look = 'line',
}: {
  tabs: readonly Tab<K>[]
  value: K
  onChange: (id: K) => void
  label: string
  className?: string
  look?: 'line' | 'segment'
}) {
  const base = useId()
  const current = tabs.find((tab) => tab.id === value) ?? tabs[0]!

  // On a phone the chosen one may stand beyond the edge.
  useEffect(() => {
    const tab = document.getElementById(`${base}-${current.id}`)
    const row = tab?.parentElement
    if (!tab || !row) return
    const beyond = tab.getBoundingClientRect().right - row.getBoundingClientRect().right
    if (beyond > 0) row.scrollLeft += beyond
  }, [base, current.id])

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key]
    if (!step) return
    event.preventDefault()
    const at = tabs.findIndex((tab) => tab.id === current.id)
    const next = Math.abs(step) > 1 ? tabs[step < 0 ? 0 : tabs.length - 1]! : tabs[(at + step + tabs.length) % tabs.length]!
    onChange(next.id)
    document.getElementById(`${base}-${next.id}`)?.focus()
  }

  return (
    <div className={className}>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className={
          look === 'line'
            ? 'flex gap-4 overflow-x-auto border-b border-line md:gap-5'
            : 'grid auto-cols-fr grid-flow-col gap-1 rounded-control bg-raised p-1'
        }
      >
        {tabs.map((tab) => {
          const selected = tab.id === current.id
          return (
            <button
              key={tab.id}
              id={`${base}-${tab.id}`}
              type="button"
              role="tab"
              aria-selected={selected}
              aria-controls={`${base}-panel`}
              tabIndex={selected ? 0 : -1}
              onClick={() => onChange(tab.id)}
              className={cx(
                'text-13 font-medium whitespace-nowrap transition-colors duration-120 max-md:min-h-11',
                look === 'line'
                  ? cx(
                      '-mb-px h-10 border-b-2 outline-offset-[-2px]',
                      selected ? 'border-signal-text text-text' : 'border-transparent text-muted hover:text-text',
                    )
                  : cx(
                      'h-8 rounded-[4px] px-3',
                      selected ? 'bg-panel text-text hairline' : 'border border-transparent text-muted hover:text-text',
                    ),
              )}
            >
              {tab.label}
            </button>
          )
        })}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${current.id}`}>
        {current.panel}
      </div>
    </div>
  )
}
