import { texts } from '@operon/contracts/messages'
import { useQuery } from '@tanstack/react-query'
import { Share2 } from 'lucide-react'
import { useEffect } from 'react'
import { useParams } from 'react-router-dom'
import { loadBackend } from '../../api/session.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyRow } from '../../ui/Mark.tsx'
import { EmptyState, ErrorState, Pill, Skeleton } from '../../ui/Panel.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'
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

  if (shop.data === null)
    return (
      <PublicMessage
        art={<EmptyRow className="h-16 self-start" />}
        title="Marketplace Not Found"
        actions={
          <ButtonLink to={paths.home} size="public">
            Return to Home
          </ButtonLink>
        }
      >
        <p>The marketplace you're looking for doesn't exist.</p>
      </PublicMessage>
    )
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col">
        {shop.isPending ? <Loading /> : null}
        {shop.isError ? (
          <div className="px-0 py-14 md:px-3">
            <ErrorState title={texts.failedToLoadMarketplace} retry={() => shop.refetch()}>
              The server did not answer. Nothing is lost; try again in a moment.
            </ErrorState>
          </div>
        ) : null}
        {shop.data ? <Shop {...shop.data} /> : null}
      </div>
      <footer className="border-t border-line bg-panel">
        <div className="rail flex flex-wrap items-center justify-between gap-4 px-5 py-8 text-14 text-muted md:px-8">
          <p>Sell your own automations with {product.name}.</p>
          <ButtonLink to={paths.home} size="public">
            Get Started
          </ButtonLink>
        </div>
      </footer>
    </PublicLayout>
  )
}

function Shop({ seller, items }: { seller: Seller; items: Item[] }) {
  const name = seller.display_name ?? seller.marketplace_slug
  async function share() {
    await navigator.clipboard.writeText(location.href)
    toast.success(texts.linkCopied)
  }
  return (
    <>
      <SectionHead as="h1" title={name}>
        <div className="flex flex-wrap items-center gap-4">
          <p className="text-14">
            {items.length} {items.length === 1 ? 'product' : 'products'}
          </p>
          <Button size="public" onClick={share}>
            <Share2 />
            Copy the link
          </Button>
        </div>
      </SectionHead>
      {items.length ? (
        <Grid items={items} />
      ) : (
        <div className="border-t border-line md:px-3">
          <EmptyState title="No products available">This seller hasn't listed any products yet.</EmptyState>
        </div>
      )}
    </>
  )
}

function Grid({ items }: { items: Item[] }) {
  return (
    <ul className="grid overflow-hidden border-y border-line sm:grid-cols-2 lg:grid-cols-3">
      {items.map((item) => (
        // Each cell draws the line above it and at its left; the first of a row and the first row lie under the frame's.
        <li
          key={item.id}
          className="group -mt-px -ml-px flex flex-col gap-5 border-t border-l border-line px-5 py-7 transition-colors duration-120 hover:bg-panel md:px-8 md:py-8"
        >
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
            <Button size="public" className="group-hover:border-control" onClick={() => toast.info(texts.purchaseComingSoon)}>
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
      <div className="px-5 pt-14 pb-10 md:px-8 md:pt-24 md:pb-14">
        <Skeleton className="h-11 w-72" />
      </div>
      <div className="grid border-y border-line sm:grid-cols-2 lg:grid-cols-3">
        {[1, 2, 3].map((key) => (
          <div key={key} className="flex h-56 flex-col gap-4 border-line px-5 py-8 not-first:border-l md:px-8">
            <Skeleton className="h-5 w-24" />
            <Skeleton className="h-5 w-48" />
            <Skeleton className="h-9 w-full" />
          </div>
        ))}
      </div>
    </div>
  )
}
