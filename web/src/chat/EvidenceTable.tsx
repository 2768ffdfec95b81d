import type { Message } from '../api/ai.ts'
import { day, money } from '../ui/format.ts'
import { cost } from './message.ts'

export type Evidence = NonNullable<Message['evidence']>[number]

/** The rows that an answer's figures come from. */
export function EvidenceTable({ evidence: { title, columns, rows, note } }: { evidence: Evidence }) {
  const fields = Object.entries(columns)
  return (
    <figure aria-label={title} className="overflow-hidden rounded-panel hairline">
      <figcaption className="border-b border-line px-3 py-2 text-12 text-muted">
        {title} · {rows.length === 1 ? '1 row' : `${rows.length} rows`} from your account
      </figcaption>
      {rows.length === 0 ? (
        <p className="px-3 py-2 text-13 text-muted">Nothing found.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
        <section tabIndex={0} aria-label={`Rows of ${title}`} className="max-h-72 overflow-auto">
          <table className="w-full text-13">
            <thead>
              <tr className="border-b border-line text-left text-12 text-faint">
                {fields.map(([path, { label, as }]) => (
                  <th key={path} scope="col" className={isFigure(as) ? 'px-3 py-1.5 text-right font-medium' : 'px-3 py-1.5 font-medium'}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows of an answer never move
                <tr key={at} className="border-b border-line last:border-0">
                  {fields.map(([path, { as }]) => (
                    <td key={path} className={isFigure(as) ? 'px-3 py-1.5 text-right font-mono tabular' : 'px-3 py-1.5 break-words'}>
                      <Shown value={row[path]} as={as} currency={row.currency} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {note ? <p className="border-t border-line px-3 py-2 text-12 text-muted">{note}</p> : null}
    </figure>
  )
}

type As = Evidence['columns'][string]['as']
const isFigure = (as: As) => as !== 'text' && as !== 'time'

/** A text that is an address leads there, and is named by its site. */
function Shown({ value, as, currency }: { value: unknown; as: As; currency: unknown }) {
  const site = as === 'text' ? siteOf(value) : null
  if (!site) return written(value, as, currency)
  return (
    <a href={String(value)} target="_blank" rel="noopener noreferrer" className="underline decoration-line underline-offset-4">
      {site}
    </a>
  )
}

function siteOf(value: unknown): string | null {
  if (typeof value !== 'string' || !value.startsWith('https://') || !URL.canParse(value)) return null
  return new URL(value).hostname.replace(/^www\./, '')
}

function written(value: unknown, as: As, currency: unknown): string {
  if (value === null || value === undefined) return '–'
  if (as === 'cents') return money(Number(value), typeof currency === 'string' ? currency : undefined)
  if (as === 'microusd') return cost(Number(value))
  if (as === 'percent') return `${Number(value).toLocaleString('en-US')}%`
  if (as === 'count') return Number(value).toLocaleString('en-US')
  // Apps say when in words of their own too.
  if (as === 'time' && !Number.isNaN(Date.parse(String(value)))) return day(String(value))
  return Array.isArray(value) ? value.join(', ') : String(value)
}
