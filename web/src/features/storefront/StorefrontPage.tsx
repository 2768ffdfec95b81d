import { texts } from '@operon/contracts/messages'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, useParams } from 'react-router-dom'
import { loadBackend } from '../../api/session.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyRow } from '../../ui/Mark.tsx'
import { EmptyState, ErrorState, Pill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'

type Seller = { user_id: string; display_name: string | null; marketplace_slug: string }
type Item = { id: string; title: string; description: string; category: string; price: number; item_type: string }

export function StorefrontPage() {
  const { userSlug = '' } = useParams()
  const shop = useQuery({
    queryKey: ['storefront', userSlug],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      const seller = await rows<Seller | null>(
        rest.from('user_profiles').select('user_id,display_name,marketplace_slug').eq('marketplace_slug', userSlug).maybeSingle(),
      )
      if (!seller) return null
      const items = await rows<Item[]>(
        rest
          .from('marketplace_items')
          .select('id,title,description,category,price,item_type')
          .eq('user_id', seller.user_id)
          .eq('is_active', true),
      )
      return { seller, items }
    },
  })
  useEffect(() => {
    if (shop.data === null) toast.error(texts.marketplaceNotFound)
    else if (shop.isError) toast.error(texts.failedToLoadMarketplace)
  }, [shop.data, shop.isError])

  return (
    <PublicLayout footer={false}>
      <div className="mx-auto min-h-[70dvh] max-w-[84rem] px-5 py-12 md:px-8 md:py-16">
        {shop.isPending ? <Loading /> : null}
        {shop.isError ? (
          <ErrorState title={texts.failedToLoadMarketplace} retry={() => shop.refetch()}>
            The server did not answer. Nothing is lost; try again in a moment.
          </ErrorState>
        ) : null}
        {shop.data === null ? (
          <div className="flex flex-col items-start gap-4 pt-16">
            <EmptyRow />
            <h1 className="text-40 font-semibold">Marketplace Not Found</h1>
            <p className="text-muted">The marketplace you're looking for doesn't exist.</p>
            <ButtonLink to={paths.home} size="public">
              Return to Home
            </ButtonLink>
          </div>
        ) : null}
        {shop.data ? (
          <>
            <h1 className="text-40 font-semibold">{shop.data.seller.display_name ?? shop.data.seller.marketplace_slug}</h1>
            <p className="mt-2 mb-10 text-muted">
              {shop.data.items.length} {shop.data.items.length === 1 ? 'product' : 'products'}
            </p>
            {shop.data.items.length ? (
              <Grid items={shop.data.items} />
            ) : (
              <EmptyState title="No products available">This seller hasn't listed any products yet.</EmptyState>
            )}
          </>
        ) : null}
      </div>
      <footer className="border-t border-line">
        <div className="mx-auto flex max-w-[84rem] flex-wrap items-center justify-between gap-4 px-5 py-8 text-14 text-muted md:px-8">
          <p>Sell your own automations with {product.name}.</p>
          <Link to={paths.home} className="text-text underline decoration-control underline-offset-4">
            Get Started
          </Link>
        </div>
      </footer>
    </PublicLayout>
  )
}

function Grid({ items }: { items: Item[] }) {
  return (
    <ul className="grid gap-px overflow-hidden rounded-panel bg-line hairline sm:grid-cols-2 lg:grid-cols-3">
      {items.map((item) => (
        <li key={item.id} className="flex flex-col gap-4 bg-panel p-6">
          <div className="flex items-center justify-between gap-3 text-13 text-faint">
            <Pill>{item.category}</Pill>
            No reviews yet
          </div>
          <div className="flex-1">
            <h2 className="text-16 font-semibold">{item.title}</h2>
            <p className="mt-1 line-clamp-2 text-14 text-muted">{item.description}</p>
          </div>
          <div className="flex items-end justify-between gap-3">
            <p>
              <span className="block text-20 font-semibold tabular">
                {new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(item.price)}
              </span>
              <span className="text-13 text-faint">{item.item_type}</span>
            </p>
            <Button variant="primary" size="public" onClick={() => toast.info(texts.purchaseComingSoon)}>
              Buy Now
            </Button>
          </div>
        </li>
      ))}
    </ul>
  )
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the marketplace">
      <Skeleton className="h-11 w-72" />
      <Skeleton className="mt-3 mb-10 h-5 w-32" />
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {[1, 2, 3].map((key) => (
          <Skeleton key={key} className="h-52" />
        ))}
      </div>
    </div>
  )
}
