import { texts } from '@operon/contracts/messages'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState, Pill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

export type Item = { id: string; title: string; description: string; category: string; price: number; item_type: string }

type More = { busy: boolean; load: () => unknown }

/** The seller's items, narrowed by words and category; both live in the address. `more`: there are older ones than these. */
export function Items({ items, more }: { items: Item[]; more?: More | undefined }) {
  const [params, setParams] = useSearchParams()
  const words = params.get('q') ?? ''
  const category = params.get('category')
  const categories = [...new Set(items.map((item) => item.category))].sort()
  const fits = (item: Item) => `${item.title} ${item.description} ${item.item_type}`.toLowerCase().includes(words.trim().toLowerCase())
  const found = items.filter((item) => fits(item) && (!category || item.category === category))

  function narrow(name: 'q' | 'category', value: string | null) {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    setParams(next, { replace: true, preventScrollReset: true })
  }

  if (!items.length)
    return (
      <div className="border-t border-line md:px-3">
        <EmptyState title="No products available">This seller hasn't listed any products yet.</EmptyState>
      </div>
    )
  return (
    <>
      <Toolbar>
        <Search value={words} onChange={(value) => narrow('q', value)} />
        <fieldset aria-label="Category" className="flex min-w-0 gap-1 overflow-x-auto">
          {[null, ...categories].map((name) => (
            <Button
              key={name}
              variant="ghost"
              aria-pressed={category === name}
              className={cx('max-md:px-3', category === name && 'bg-raised !text-text')}
              onClick={() => narrow('category', name)}
            >
              {name ?? 'All'}
            </Button>
          ))}
        </fieldset>
      </Toolbar>
      <p role="status" className="sr-only">
        {words || category ? `${found.length} of ${items.length} shown` : ''}
      </p>
      {found.length ? (
        <Grid>
          {found.map((item) => (
            <Offer key={item.id} {...item} />
          ))}
        </Grid>
      ) : (
        <div className="border-t border-line md:px-3">
          <EmptyState
            title="No items match these words"
            action={<Button onClick={() => setParams({}, { replace: true })}>Show all {items.length}</Button>}
          >
            Search looks at titles, descriptions and types{more ? ` of the newest ${items.length} products` : ''}.
          </EmptyState>
        </div>
      )}
      {more ? (
        <div className="border-t border-line px-5 py-4 md:px-8">
          <Button size="public" busy={more.busy} onClick={more.load}>
            Show older products
          </Button>
        </div>
      ) : null}
    </>
  )
}

function Offer({ title, description, category, price, item_type }: Item) {
  return (
    <li className={cx(cell, 'group transition-colors duration-120 hover:bg-panel')}>
      <div className="flex h-5 items-center justify-between gap-3 text-13 text-faint">
        <Pill>{category}</Pill>
        No reviews yet
      </div>
      <div className="flex-1">
        <h2 className="text-16 font-semibold">{title}</h2>
        <p className="mt-1 line-clamp-2 min-h-[2lh] text-14 text-muted">{description}</p>
      </div>
      <div className="flex items-end justify-between gap-3">
        <p>
          <span className="block text-20 font-semibold tabular">{dollars.format(price)}</span>
          <span className="text-13 text-faint">{item_type}</span>
        </p>
        <Button size="public" className="group-hover:border-control" onClick={() => toast.info(texts.purchaseComingSoon)}>
          Buy Now
        </Button>
      </div>
    </li>
  )
}

/** The same places, before anything is known. */
export function ItemsLoading() {
  return (
    <div role="status" aria-label="Loading the marketplace" className="skeletons">
      <Toolbar>
        <Search disabled />
        <span className="flex gap-1">
          {['w-14', 'w-24', 'w-20'].map((width) => (
            <Skeleton key={width} className={cx('h-8 max-md:h-11', width)} />
          ))}
        </span>
      </Toolbar>
      <Grid>
        {[1, 2, 3, 4, 5, 6].map((key) => (
          <li key={key} aria-hidden="true" className={cell}>
            <div className="flex h-5 items-center justify-between">
              <Skeleton className="h-5 w-20" />
              <Skeleton className="h-3.5 w-24" />
            </div>
            <div className="flex-1">
              <Skeleton className="my-0.5 h-[1.3rem] w-44" />
              <Skeleton className="mt-1 h-10.5 w-full" />
            </div>
            <div className="flex items-end justify-between">
              <Skeleton className="h-[2.9rem] w-16" />
              <Skeleton className="h-10 w-24 max-md:h-11" />
            </div>
          </li>
        ))}
      </Grid>
    </div>
  )
}

function Toolbar({ children }: { children: ReactNode }) {
  return (
    <div className="flex items-center gap-x-4 gap-y-2 border-t border-line px-5 py-3 max-sm:flex-col max-sm:items-stretch md:px-8">
      {children}
    </div>
  )
}

function Search({ value, disabled, onChange }: { value?: string; disabled?: boolean; onChange?: (value: string) => void }) {
  return (
    <input
      type="search"
      aria-label="Search products"
      placeholder="Search products"
      disabled={disabled}
      value={value}
      onChange={(event) => onChange?.(event.target.value)}
      className="h-8 shrink-0 rounded-control border border-control/70 bg-page px-2.5 text-13 max-md:h-11 sm:w-64"
    />
  )
}

// Each cell draws the line above it and at its left; the first of a row and the first row lie under the frame's.
const cell = '-mt-px -ml-px flex flex-col gap-5 border-t border-l border-line px-5 py-7 md:px-8 md:py-8'

function Grid({ children }: { children: ReactNode }) {
  return <ul className="grid overflow-hidden border-y border-line sm:grid-cols-2 lg:grid-cols-3">{children}</ul>
}
