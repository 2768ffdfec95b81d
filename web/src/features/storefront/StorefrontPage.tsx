import { texts } from '@operon/contracts/messages'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Share2 } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useParams } from 'react-router-dom'
import { readJson, request } from '../../api/http.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { EmptyRow } from '../../ui/Mark.tsx'
import { ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Item, Items, ItemsLoading } from './Items.tsx'

type Seller = { user_id: string; display_name: string | null; marketplace_slug: string }

/** Drawn at build as far as it is the same for every seller, and painted with that; who it is and what is offered come with the app. */
export function StorefrontPage() {
  const { userSlug = '' } = useParams()
  const shop = useQuery({
    queryKey: ['storefront', userSlug],
    queryFn: () => readSeller(userSlug),
  })
  const offers = useInfiniteQuery({
    queryKey: ['storefront-items', shop.data?.id],
    enabled: Boolean(shop.data),
    queryFn: ({ pageParam }) => readItems(shop.data!.id, pageParam),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
  })
  const items = offers.data?.pages.flatMap((page) => page.rows)
  const failed = shop.isError || (offers.isError && !items)
  const more = offers.hasNextPage ? { busy: offers.isFetchingNextPage, load: () => offers.fetchNextPage() } : undefined
  useEffect(() => {
    if (shop.data === null) toast.error(texts.marketplaceNotFound)
    else if (failed || offers.isFetchNextPageError) toast.error(texts.failedToLoadMarketplace)
  }, [shop.data, failed, offers.isFetchNextPageError])
  useNamed(shop.data === null ? 'Marketplace Not Found' : shop.data?.name, shop.data === null)

  if (shop.data === null)
    return (
      <PublicMessage
        art={<EmptyRow className="h-16 self-start" />}
        title="Marketplace Not Found"
        actions={
          <ButtonLink to={paths.home} variant="primary" size="public">
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
        {failed ? (
          <div className="px-0 py-14 md:px-3">
            <ErrorState title={texts.failedToLoadMarketplace} retry={() => (shop.isError ? shop.refetch() : offers.refetch())}>
              The server did not answer. Nothing is lost; try again in a moment.
            </ErrorState>
          </div>
        ) : (
          <>
            <Head name={shop.data?.name} count={items && <Count of={items.length} more={Boolean(more)} />} />
            {items ? <Items items={items} more={more} /> : <ItemsLoading />}
          </>
        )}
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

/** Public data, asked for without the code of a session. The answer names where it goes on, when it does. */
async function readPage<T>(address: string): Promise<{ rows: T[]; next: string | undefined }> {
  const response = await request(address)
  return { rows: await readJson<T[]>(response), next: /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] }
}
const read = <T,>(table: string, query: Record<string, string>) => readPage<T>(`/rest/v1/${table}?${new URLSearchParams(query)}`)

async function readSeller(slug: string) {
  const {
    rows: [seller],
  } = await read<Seller>('user_profiles', { select: 'user_id,display_name,marketplace_slug', marketplace_slug: `eq.${slug}` })
  return seller ? { id: seller.user_id, name: seller.display_name ?? seller.marketplace_slug } : null
}

/** The newest first, as many as an answer holds; `next` is where the page before said that it goes on. */
const readItems = (userId: string, next: string) =>
  next
    ? readPage<Item>(next)
    : read<Item>('marketplace_items', {
        select: 'id,title,description,category,price,item_type',
        user_id: `eq.${userId}`,
        is_active: 'eq.true',
        order: 'created_at.desc,id.desc',
        limit: '1000',
      })

/** The name has room for two lines on a phone before it is known: nothing moves when it comes. */
function Head({ name, count }: { name: string | undefined; count: ReactNode }) {
  return (
    <SectionHead
      as="h1"
      className="max-md:pt-10"
      title={
        <span className="flex items-end max-md:min-h-[2lh]">
          {name ?? (
            <>
              <span className="sr-only">Storefront</span>
              <Skeleton className="h-11 w-72" />
            </>
          )}
        </span>
      }
    >
      <p className="text-20">
        Templates and automations, made and sold by one person. Look around without an account, and share what you like by its link.
      </p>
      <div className="mt-5 flex flex-wrap items-center gap-4 text-14">
        <Button size="public" onClick={() => copyText(location.href, texts.linkCopied)}>
          <Share2 />
          Copy the link
        </Button>
        {count ?? <Skeleton className="h-5 w-20" />}
      </div>
    </SectionHead>
  )
}

function Count({ of, more }: { of: number; more: boolean }) {
  return (
    <p>
      {of.toLocaleString('en-US')}
      {more ? '+' : ''} {of === 1 ? 'product' : 'products'}
    </p>
  )
}

/** The page's title, and for an address of nobody the word to search engines that there is nothing to keep. */
function useNamed(name: string | undefined, missing: boolean) {
  useEffect(() => {
    document.title = `${name ?? 'Storefront'} · ${product.name}`
  }, [name])
  useEffect(() => {
    if (!missing) return
    const told = Object.assign(document.createElement('meta'), { name: 'robots', content: 'noindex' })
    document.head.append(told)
    return () => told.remove()
  }, [missing])
}
