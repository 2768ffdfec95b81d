import { type FormEvent, type ReactNode, useId } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { paths } from '../../paths.ts'
import { Button, ButtonLink, buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState, Pill, Skeleton } from '../../ui/Panel.tsx'
import { Buy } from './Buy.tsx'
import { SaveSearch } from './ForBuyers.tsx'
import { Photo } from './Photo.tsx'
import { addressOf, type Narrowed, type Offer, priceOf } from './page.ts'
import { Rating } from './Rating.tsx'

type Props = {
  offers: Offer[]
  categories: string[]
  next: string | null
  asked: Narrowed
  empty: ReactNode
  sellers?: boolean
  /** A picture of the seller's stands above, and is the first of the page. */
  below?: boolean
}

/** Items on sale, narrowed by words and category. Both are in the address, so that a search is a link and needs no script. */
export function Items({ offers, categories, next, asked, empty, sellers, below = false }: Props) {
  const { pathname } = useLocation()
  const narrowed = Boolean(asked.q || asked.category)
  if (!offers.length && !narrowed && !asked.after) return <div className="border-t border-line md:px-3">{empty}</div>
  return (
    <>
      <Toolbar>
        <Search key={asked.q} asked={asked} />
        <nav aria-label="Category" className="flex min-w-0 gap-1 overflow-x-auto">
          {['', ...categories].map((name) => (
            <Link
              key={name}
              to={addressOf(pathname, { ...asked, category: name, after: '' })}
              preventScrollReset
              aria-current={asked.category === name ? 'page' : undefined}
              className={buttonClass({ variant: 'ghost' }, cx('max-md:px-3', asked.category === name && 'bg-raised !text-text'))}
            >
              {name || 'All'}
            </Link>
          ))}
        </nav>
        {sellers && narrowed ? <SaveSearch asked={asked} /> : null}
      </Toolbar>
      <p role="status" className="sr-only">
        {narrowed ? `${offers.length}${next ? ' or more' : ''} shown` : ''}
      </p>
      {offers.length ? (
        <Grid>
          {offers.map((offer, at) => (
            <OfferCell key={offer.id} offer={offer} seller={sellers} first={at === 0 && !below} />
          ))}
        </Grid>
      ) : (
        <div className="border-t border-line md:px-3">
          <EmptyState title="No items match these words" action={<ButtonLink to={pathname}>Show all products</ButtonLink>}>
            Search looks at titles, descriptions, categories and types.
          </EmptyState>
        </div>
      )}
      {next || asked.after ? (
        <nav aria-label="Pages" className="flex gap-2 border-t border-line px-5 py-4 md:px-8">
          {asked.after ? (
            <ButtonLink to={addressOf(pathname, { ...asked, after: '' })} size="public">
              Back to the newest
            </ButtonLink>
          ) : null}
          {next ? (
            <ButtonLink rel="next" to={addressOf(pathname, { ...asked, after: next })} size="public">
              Show older products
            </ButtonLink>
          ) : null}
        </nav>
      ) : null}
    </>
  )
}

function OfferCell({ offer, seller, first = false }: { offer: Offer; seller?: boolean | undefined; first?: boolean }) {
  return (
    <li className={cx(cell, first ? null : later, 'group transition-colors duration-120 hover:bg-panel')}>
      {offer.picture ? <Photo of={offer.picture} widths={[480]} sizes="480px" alt="" first={first} /> : null}
      <div className="flex h-5 items-center justify-between gap-3 text-13 text-faint">
        <Pill>{offer.category}</Pill>
        <Rating of={offer.rating} />
      </div>
      <div className="flex-1">
        <h2 className="text-16 font-semibold">
          <Link to={paths.product(offer.seller.slug, offer.key)} className="inline-block min-h-6 hover:underline">
            {offer.title}
          </Link>
        </h2>
        {seller ? (
          <p className="mt-0.5 text-13 text-muted">
            by{' '}
            <Link to={paths.storefront(offer.seller.slug)} className="underline decoration-control underline-offset-2">
              {offer.seller.name}
            </Link>
          </p>
        ) : null}
        <p className="mt-1 line-clamp-2 min-h-[2lh] text-14 text-muted">{offer.summary}</p>
      </div>
      <div className="flex items-end justify-between gap-3">
        <p>
          <span className="block text-20 font-semibold tabular">{priceOf(offer)}</span>
          <span className="text-13 text-faint">{offer.item_type}</span>
        </p>
        <Buy offer={offer} className="group-hover:border-control" />
      </div>
    </li>
  )
}

/** A plain list of a few, for the foot of a product's page. */
export function FewItems({ offers }: { offers: Offer[] }) {
  return (
    <Grid>
      {offers.map((offer) => (
        <OfferCell key={offer.id} offer={offer} />
      ))}
    </Grid>
  )
}

/** The same places, before anything is known. */
export function ItemsLoading() {
  return (
    <div role="status" aria-label="Loading the marketplace" className="skeletons">
      <Toolbar>
        <Skeleton className="h-8 max-md:h-11 sm:w-64" />
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

function Search({ asked }: { asked: Narrowed }) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const id = useId()
  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const q = String(new FormData(event.currentTarget).get('q') ?? '').trim()
    navigate(addressOf(pathname, { ...asked, q, after: '' }), { preventScrollReset: true })
  }
  return (
    <search className="shrink-0">
      <form action={pathname} onSubmit={search} className="flex gap-2">
        {asked.category ? <input type="hidden" name="category" value={asked.category} /> : null}
        <label htmlFor={id} className="sr-only">
          Search products
        </label>
        <input
          id={id}
          type="search"
          name="q"
          placeholder="Search products"
          maxLength={100}
          defaultValue={asked.q}
          className="h-8 min-w-0 flex-1 rounded-control border border-control/70 bg-page px-2.5 text-13 max-md:h-11 sm:w-64"
        />
        <Button type="submit">Search</Button>
      </form>
    </search>
  )
}

// Each cell draws the line above it and at its left; the first of a row and the first row lie under the frame's.
// Drawn when it comes near: until then its picture takes nothing from the first one's line.
const later = '[content-visibility:auto] [contain-intrinsic-size:auto_30rem]'
const cell = '-mt-px -ml-px flex flex-col gap-5 border-t border-l border-line px-5 py-7 md:px-8 md:py-8'

function Grid({ children }: { children: ReactNode }) {
  return <ul className="grid overflow-hidden border-y border-line sm:grid-cols-2 lg:grid-cols-3">{children}</ul>
}
