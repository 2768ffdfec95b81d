import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import { countView } from '../../api/countView.ts'
import { paths } from '../../paths.ts'
import { Pill } from '../../ui/Panel.tsx'
import { AddToCart } from './AddToCart.tsx'
import { Buy } from './Buy.tsx'
import { Reviews, SaveAndAsk } from './ForBuyers.tsx'
import { FewItems } from './Items.tsx'
import { Photo } from './Photo.tsx'
import { type Of, priceOf } from './page.ts'
import { Rating } from './Rating.tsx'
import { Report } from './Report.tsx'

/** One product: what it is, what it costs, on what terms, and what else its seller has. */
export function Product({ product, more }: Of<'product'>) {
  const { seller } = product
  const storefront = paths.storefront(seller.slug)
  // Reached within the app: the site that led here is this one.
  useEffect(() => countView(product.id, location.origin), [product.id])
  return (
    <>
      <div data-accent={product.accent ?? 'lime'}>
        <div aria-hidden="true" className="h-1 bg-accent" />
      </div>
      <article className="grid gap-x-10 gap-y-6 px-5 pt-10 pb-14 md:grid-cols-12 md:grid-rows-[auto_1fr] md:px-8 md:pt-16">
        <header className="min-w-0 md:col-span-7">
          <p className="flex flex-wrap items-center gap-3 text-13 text-muted">
            <Pill>{product.category}</Pill>
            <span>
              by{' '}
              <Link to={storefront} className="text-text underline decoration-control underline-offset-2">
                {seller.name}
              </Link>
            </span>
          </p>
          <h1 className="mt-4 text-40 font-semibold break-words">{product.title}</h1>
        </header>
        <div className="min-w-0 max-md:row-start-3 md:col-span-7 md:row-start-2">
          <Pictures of={product} />
          <p className="max-w-[68ch] break-words whitespace-pre-line text-muted">{product.description}</p>
          {product.licence_terms ? (
            <section className="mt-10 border-t border-line pt-6">
              <h2 className="text-16 font-semibold">License terms</h2>
              <p className="mt-2 max-w-[68ch] text-14 break-words whitespace-pre-line text-muted">{product.licence_terms}</p>
            </section>
          ) : null}
        </div>
        <aside
          aria-label="Buy"
          className="flex flex-col items-start gap-4 border-line md:col-span-4 md:col-start-9 md:row-span-2 md:row-start-1 md:border-l md:pl-8"
        >
          <p className="text-28 font-semibold tabular">{priceOf(product)}</p>
          <div className="flex flex-wrap gap-2">
            <Buy offer={product} variant="primary" />
            {product.price_cents ? <AddToCart offer={product} /> : null}
          </div>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-14">
            <dt className="text-muted">Type</dt>
            <dd>{product.item_type}</dd>
            {product.version ? (
              <>
                <dt className="text-muted">Version</dt>
                <dd className="tabular">{product.version}</dd>
              </>
            ) : null}
            <dt className="text-muted">Reviews</dt>
            <dd>
              <Rating of={product.rating} />
            </dd>
            {product.files ? (
              <>
                <dt className="text-muted">Download</dt>
                <dd>{product.files === 1 ? '1 file' : `${product.files} files`}</dd>
              </>
            ) : null}
            {product.activation_limit ? (
              <>
                <dt className="text-muted">License key</dt>
                <dd>{product.activation_limit === 1 ? 'For 1 machine' : `For ${product.activation_limit} machines`}</dd>
              </>
            ) : null}
          </dl>
          <p className="text-13 text-faint">You can buy without an account.</p>
          <SaveAndAsk offer={product} />
          <Report of={{ item_id: product.id }} />
        </aside>
      </article>
      <Reviews itemId={product.id} seller={seller.name} />
      {more.length ? (
        <section aria-labelledby="more-of-seller">
          <h2 id="more-of-seller" className="border-t border-line px-5 pt-8 pb-5 text-20 font-semibold md:px-8">
            More from{' '}
            <Link to={storefront} className="underline decoration-control underline-offset-2">
              {seller.name}
            </Link>
          </h2>
          <FewItems offers={more} />
        </section>
      ) : null}
    </>
  )
}

function Pictures({ of: { pictures, title } }: { of: Of<'product'>['product'] }) {
  if (!pictures.length) return null
  return (
    <div className="mb-6 grid grid-cols-2 gap-3">
      {pictures.map((picture, at) => (
        <Photo
          key={picture}
          of={picture}
          widths={[480, 720, 960]}
          sizes={at ? '(min-width: 64rem) 30vw, 50vw' : '(min-width: 64rem) 60vw, calc(100vw - 2.5rem)'}
          alt={pictures.length > 1 ? `${title}, picture ${at + 1} of ${pictures.length}` : title}
          first={!at}
          className="first:col-span-2"
        />
      ))}
    </div>
  )
}
