import { texts } from '@operon/contracts/messages'
import { Share2 } from 'lucide-react'
import { Fragment, type ReactNode, useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { EmptyRow } from '../../ui/Mark.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'
import { toast } from '../../ui/toast.tsx'
import { headOf } from './head.ts'
import { Items, ItemsLoading } from './Items.tsx'
import { Photo } from './Photo.tsx'
import { Product } from './Product.tsx'
import { type Of, type Page, useMarketplacePage } from './page.ts'
import { Report } from './Report.tsx'

/** The directory, a storefront or a product: drawn by the server with its rows, or asked for here. */
export function StorefrontPage() {
  const { asked, page } = useMarketplacePage()
  const { data, isError } = page
  const missing = data?.kind === 'missing'
  const failed = isError && !data
  useMoved(data)
  useEffect(() => {
    if (missing) toast.error(texts.marketplaceNotFound)
    else if (failed) toast.error(texts.failedToLoadMarketplace)
  }, [missing, failed])
  useNamed(data)

  if (missing) return <Missing {...data} />
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col">
        {failed ? (
          <div className="px-0 py-14 md:px-3">
            <ErrorState title={texts.failedToLoadMarketplace} retry={() => page.refetch()}>
              The server did not answer. Nothing is lost; try again in a moment.
            </ErrorState>
          </div>
        ) : (
          <Shown data={data} asked={asked} />
        )}
      </div>
      <footer className="border-t border-line bg-panel">
        <div className="rail flex flex-wrap items-center justify-between gap-4 px-5 py-8 text-14 text-muted md:px-8">
          <p>Sell your own automations with {product.name}.</p>
          <div className="flex flex-wrap gap-2">
            {data?.kind === 'storefront' ? <Report of={{ slug: data.seller.slug }} /> : null}
            {data?.kind === 'directory' ? null : (
              <ButtonLink to={paths.marketplace} variant="ghost" size="public">
                Browse all sellers
              </ButtonLink>
            )}
            <ButtonLink to={paths.home} size="public">
              Get Started
            </ButtonLink>
          </div>
        </div>
      </footer>
    </PublicLayout>
  )
}

function Shown({ data, asked }: { data: Page | undefined; asked: ReturnType<typeof useMarketplacePage>['asked'] }) {
  if (data?.kind === 'product') return <Product {...data} />
  if (data?.kind === 'directory')
    return (
      <>
        <SectionHead as="h1" className="max-md:pt-10" title="Marketplace">
          <p className="text-20">Templates and automations, sold by the people who made them. Browse and buy without an account.</p>
          <p className="mt-3 text-14">Newest first, everywhere. No seller can pay for a place.</p>
        </SectionHead>
        <Items
          {...data}
          asked={asked}
          sellers
          empty={<EmptyState title="No products available">No seller has listed a product yet.</EmptyState>}
        />
      </>
    )
  if (data?.kind === 'storefront')
    return (
      <>
        <StorefrontHead {...data} />
        <Items
          {...data}
          asked={asked}
          below={Boolean(data.profile?.picture)}
          empty={<EmptyState title="No products available">This seller hasn't listed any products yet.</EmptyState>}
        />
      </>
    )
  return (
    <>
      <Head title={<Skeleton className="h-11 w-72" />} name="Marketplace" count={<Skeleton className="h-5 w-20" />} />
      <ItemsLoading />
    </>
  )
}

/** The seller as they describe themselves. Without a word of theirs it says what is here. */
function StorefrontHead({ seller, total, profile }: Of<'storefront'>) {
  const count = <p>{`${total.toLocaleString('en-US')} ${total === 1 ? 'product' : 'products'}`}</p>
  return (
    <div data-accent={profile?.accent ?? 'lime'}>
      {profile?.picture ? (
        <Photo
          of={profile.picture}
          widths={[480, 720, 960, 1280]}
          sizes="(min-width: 80rem) 80rem, 100vw"
          alt=""
          first
          shape="aspect-[4/1]"
        />
      ) : null}
      <div aria-hidden="true" className="h-1 bg-accent" />
      <Head title={seller.name} text={profile?.business_description || undefined} count={count}>
        {profile ? <Contact of={profile} /> : null}
      </Head>
    </div>
  )
}

function Contact({ of }: { of: NonNullable<Of<'storefront'>['profile']> }) {
  const { business_category, location, website, contact_email, phone } = of
  const rows: { label: string; text: string; href?: string }[] = [
    { label: 'Business', text: business_category },
    { label: 'Location', text: location },
    { label: 'Website', text: website.replace(/^https?:\/\//, '').replace(/\/$/, ''), href: website },
    { label: 'Email', text: contact_email, href: `mailto:${contact_email}` },
    { label: 'Phone', text: phone },
  ]
  const said = rows.filter(({ text }) => text)
  if (!said.length) return null
  return (
    <dl className="mt-5 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-14">
      {said.map(({ label, text, href }) => (
        <Fragment key={label}>
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 break-words">
            {href ? (
              <a href={href} rel="nofollow noopener ugc" className="underline decoration-control underline-offset-2">
                {text}
              </a>
            ) : (
              text
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

/** The name has room for two lines on a phone before it is known: nothing moves when it comes. */
type HeadProps = { title: ReactNode; name?: string; text?: string | undefined; count: ReactNode; children?: ReactNode }
function Head({ title, name, text, count, children }: HeadProps) {
  return (
    <SectionHead
      as="h1"
      className="max-md:pt-10"
      title={
        <span className="flex items-end max-md:min-h-[2lh]">
          {name ? <span className="sr-only">{name}</span> : null}
          {title}
        </span>
      }
    >
      <p className={text ? 'text-16 break-words whitespace-pre-line' : 'text-20'}>
        {text ??
          'Templates and automations, made and sold by one person. Look around without an account, and share what you like by its link.'}
      </p>
      {children}
      <div className="mt-5 flex flex-wrap items-center gap-4 text-14">
        <Button size="public" onClick={() => copyText(location.href, texts.linkCopied)}>
          <Share2 />
          Copy the link
        </Button>
        {count}
      </div>
    </SectionHead>
  )
}

function Missing({ seller }: Of<'missing'>) {
  const art = <EmptyRow className="h-16 self-start" />
  if (seller)
    return (
      <PublicMessage
        art={art}
        title="Product not found"
        actions={
          <ButtonLink to={paths.storefront(seller.slug)} variant="primary" size="public">
            See all products of {seller.name}
          </ButtonLink>
        }
      >
        <p>This product is no longer for sale, or the link may be mistyped.</p>
      </PublicMessage>
    )
  return (
    <PublicMessage
      art={art}
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
}

/** An address that was left leads on; the server does the same with a redirect. */
function useMoved(data: Page | undefined) {
  const navigate = useNavigate()
  const path = data?.kind === 'moved' ? data.path : null
  useEffect(() => {
    if (path) navigate(path, { replace: true })
  }, [path, navigate])
}

/** The page's title, and for an address of nobody the word to search engines that there is nothing to keep. */
function useNamed(data: Page | undefined) {
  const title = data && headOf(data, product.name)?.title
  const missing = data?.kind === 'missing'
  useEffect(() => {
    if (title) document.title = title
  }, [title])
  useEffect(() => {
    if (!missing || document.querySelector('meta[name=robots]')) return
    const told = Object.assign(document.createElement('meta'), { name: 'robots', content: 'noindex' })
    document.head.append(told)
    return () => told.remove()
  }, [missing])
}
