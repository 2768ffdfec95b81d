import { invalid } from '../deps.ts'

/** A page of a list: the protocol counts in headers. */
export type Page = { total: number; page: number; perPage: number; lastPage: number }
type Asked = { page?: string | null | undefined; per_page?: string | null | undefined }

export const readPage = (asked: Asked) => ({
  page: readCount('page', asked.page, 1, 1_000_000),
  perPage: readCount('per_page', asked.per_page, 50, 1000),
})

const pageOf = (total: number, page: number, perPage: number): Page => ({
  total,
  page,
  perPage,
  lastPage: Math.max(1, Math.ceil(total / perPage)),
})

/** Counting all is a walk through all, so a list is counted up to here. */
export const COUNTED_AT_MOST = 10_000

/** Beyond what is counted, a full page says that there is at least one more row. */
export function pageUpTo(counted: number, shown: number, page: number, perPage: number): Page {
  const known = (page - 1) * perPage + shown + (shown === perPage ? 1 : 0)
  return pageOf(counted < COUNTED_AT_MOST ? counted : Math.max(counted, known), page, perPage)
}

/** Clients read the number of the next page out of the first parameter. */
export function pageHeaders(path: string, { total, page, perPage, lastPage }: Page, query: Record<string, string | null | undefined>) {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []))
  const link = (to: number, rel: string) =>
    `<${path}?${new URLSearchParams([['page', String(to)], ['per_page', String(perPage)], ...given])}>; rel="${rel}"`
  return {
    'x-total-count': String(total),
    link: [...(page < lastPage ? [link(page + 1, 'next')] : []), link(lastPage, 'last')].join(', '),
  }
}

/** The protocol sorts by one field: `created_at asc`, or `desc` where nothing else is said. */
export function readDirection(sort: string | null | undefined): 'asc' | 'desc' {
  if (!sort) return 'desc'
  const [field, ...rest] = sort.split(' ')
  if (field !== 'created_at') throw invalid(`Bad Sort Parameters: bad field for sort '${field}'`)
  const direction = rest.join(' ') || 'desc'
  const known = direction.toLowerCase()
  if (known === 'asc' || known === 'desc') return known
  throw invalid(`Bad Sort Parameters: bad direction for sort '${direction}', only 'asc' and 'desc' allowed`)
}

/** For `ilike`: this anywhere, to the letter. */
export const anywhere = (part: string) => `%${part.replace(/[\\%_]/g, '\\$&')}%`

function readCount(name: string, value: string | null | undefined, fallback: number, max: number): number {
  if (!value) return fallback
  const count = Number(value)
  if (!Number.isInteger(count) || count < 1) throw invalid(`Bad Pagination Parameters: ${name} must be a positive number`)
  return Math.min(count, max)
}
