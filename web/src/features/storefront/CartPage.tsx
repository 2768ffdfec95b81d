import type { CallReply } from '@operon/contracts/calls'
import { texts } from '@operon/contracts/messages'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router-dom'
import { call, callPublic } from '../../api/call.ts'
import { ApiError } from '../../api/http.ts'
import { useSession } from '../../api/session.ts'
import { countries, likelyCountry } from '../../content/countries.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Options, SelectField, TextField } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { EmptyState, ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { keepCart, useCart } from './cart.ts'

/** The cart's products and total, and the way to the payment page. */
export function CartPage() {
  const cart = useCart()
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col">
        <h1 className="px-5 pt-10 pb-8 text-40 font-semibold md:px-8">Cart</h1>
        {cart ? (
          <Filled ids={cart.ids} seller={cart.seller} />
        ) : (
          <div className="border-t border-line md:px-3">
            <EmptyState
              title="Your cart is empty"
              action={
                <ButtonLink to={paths.marketplace} variant="primary">
                  Browse the marketplace
                </ButtonLink>
              }
            >
              Add products from a seller’s page. What you add is paid for in one order.
            </EmptyState>
          </div>
        )}
      </div>
    </PublicLayout>
  )
}

function Filled({ ids, seller }: { ids: string[]; seller: string }) {
  const { user } = useSession()
  const [coupon, setCoupon] = useState('')
  const [busy, setBusy] = useState(false)
  const [country, setCountry] = useState(likelyCountry)
  const asked = { item_ids: ids, ...(coupon && { coupon }), ...(country && { country }) }
  const quote = useQuery({
    queryKey: ['cart-quote', asked],
    queryFn: () => callPublic('cart-quote', asked),
    retry: (tries, error) => !(error instanceof ApiError && error.status < 500 && error.status > 0) && tries < 2,
    placeholderData: (before) => before,
  })
  const refused = quote.error instanceof ApiError ? quote.error : null
  const remove = (id: string) => {
    keepCart({ seller, ids: ids.filter((each) => each !== id) })
    toast.undo('Removed from your cart', () => keepCart({ seller, ids }))
  }

  async function pay(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email') ?? '').trim()
    const item_ids = quote.data!.lines.map(({ item_id }) => item_id)
    const wanted = { item_ids, ...(email && { email }), ...(coupon && !refused && { coupon }) }
    setBusy(true)
    try {
      const { url } = await (user ? call('start-checkout', wanted) : callPublic('start-checkout', wanted))
      location.assign(url)
    } catch (error) {
      setBusy(false)
      if (error instanceof ApiError && error.code === 'seller_not_ready') toast.info(texts.purchaseComingSoon)
      else toast.error('Checkout did not open', error instanceof Error ? error.message : undefined)
    }
  }

  if (refused?.code === 'not_for_sale')
    return (
      <div className="border-t border-line md:px-3">
        <EmptyState title="None of these is for sale any more" action={<Button onClick={() => keepCart(null)}>Empty the cart</Button>}>
          The seller has taken them off sale. Nothing was charged.
        </EmptyState>
      </div>
    )
  if (quote.isError && !quote.data && refused?.code !== 'coupon_invalid')
    return (
      <div className="border-t border-line md:px-3">
        <ErrorState title="The cart could not be loaded" retry={() => quote.refetch()}>
          {quote.error.message}
        </ErrorState>
      </div>
    )
  if (!quote.data)
    return (
      <div role="status" aria-label="Loading" className="border-t border-line px-5 py-6 md:px-8">
        <Skeleton className="h-6 w-64" />
      </div>
    )
  const { lines, left_out, total_cents, discount_cents, currency, tax } = quote.data
  return (
    <div className="grid flex-1 border-t border-line lg:grid-cols-[1fr_24rem]">
      <ul aria-label="Products in your cart">
        {lines.map((line) => (
          <li key={line.item_id} className="flex items-center gap-4 border-b border-line px-5 py-5 md:px-8">
            {line.picture ? (
              <img
                src={`${line.picture}?w=480`}
                alt=""
                width={96}
                height={60}
                className="aspect-[8/5] w-24 rounded-control bg-raised object-cover max-sm:hidden"
              />
            ) : null}
            <span className="min-w-0 flex-1">
              {line.path ? (
                <Link to={line.path} className="text-16 font-semibold break-words hover:underline">
                  {line.title}
                </Link>
              ) : (
                <span className="text-16 font-semibold break-words">{line.title}</span>
              )}
              <span className="block text-14 tabular">
                {money(line.amount_cents, currency)}
                {line.list_cents !== line.amount_cents ? <s className="ml-2 text-faint">{money(line.list_cents, currency)}</s> : null}
              </span>
            </span>
            <Button aria-label={`Remove ${line.title}`} onClick={() => remove(line.item_id)}>
              Remove
            </Button>
          </li>
        ))}
        {left_out.length ? (
          <li className="border-b border-line px-5 py-4 text-13 text-muted md:px-8">
            {left_out.length === 1 ? 'One product is' : `${left_out.length} products are`} no longer for sale and not part of this order.
          </li>
        ) : null}
      </ul>
      <aside aria-label="Order" className="border-line px-5 py-7 md:px-8 lg:border-l lg:px-6">
        <Coupon applied={refused ? '' : coupon} error={coupon && refused ? refused.message : null} onApply={setCoupon} />
        <dl className="mt-6 grid grid-cols-[1fr_auto] gap-y-1.5 text-14 tabular">
          {discount_cents ? (
            <>
              <dt className="text-muted">Discount</dt>
              <dd className="text-right">{money(-discount_cents, currency)}</dd>
            </>
          ) : null}
          {tax?.state === 'known' ? (
            <>
              <dt className="text-muted">
                {tax.name}, {tax.percent}%
              </dt>
              <dd className="text-right">{money(tax.cents, currency)}</dd>
            </>
          ) : null}
          <dt className="font-semibold">{tax?.state === 'known' || tax?.state === 'none' ? 'Total' : 'Total before tax'}</dt>
          <dd className="text-right font-semibold">{money(total_cents + (tax?.cents ?? 0), currency)}</dd>
        </dl>
        <SelectField
          label="Your country"
          value={country}
          onChange={(event) => setCountry(event.target.value)}
          hint={taxSaid(tax?.state)}
          fieldClassName="mt-4"
        >
          <option value="">Choose a country</option>
          <Options of={known.map(({ code, name }) => [code, name])} />
        </SelectField>
        <form onSubmit={pay} className="mt-5 flex flex-col gap-4">
          {user ? null : (
            <TextField
              label="Email for the receipt"
              name="email"
              type="email"
              autoComplete="email"
              hint="You can buy without an account."
            />
          )}
          <Button type="submit" variant="primary" size="public" busy={busy}>
            Go to payment
          </Button>
        </form>
      </aside>
    </div>
  )
}

const known = countries()
type Tax = NonNullable<CallReply<'cart-quote'>['tax']>
/** The payment page has the last word: by the whole address, and by the number of a business. */
function taxSaid(state: Tax['state'] | undefined): string {
  if (state === 'known') return 'A business can enter its tax number on the payment page.'
  if (state === 'none') return 'No tax is added for your country.'
  if (state === 'by_address') return 'Tax depends on your address. The payment page shows it before you pay.'
  return 'Tax, where your country asks for it, shows on the payment page before you pay.'
}

function Coupon({ applied, error, onApply }: { applied: string; error: string | null; onApply: (code: string) => void }) {
  function apply(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    onApply(String(new FormData(event.currentTarget).get('coupon')).trim())
  }
  if (applied)
    return (
      <p className="flex items-center justify-between gap-3 text-14">
        <span>
          Coupon <span className="font-mono">{applied.toUpperCase()}</span> is applied.
        </span>
        <Button onClick={() => onApply('')}>Remove</Button>
      </p>
    )
  return (
    <form onSubmit={apply} className="flex items-end gap-2">
      <TextField label="Coupon code" name="coupon" maxLength={40} autoComplete="off" error={error ?? undefined} fieldClassName="flex-1" />
      <Button type="submit" size="public" className="md:h-9">
        Apply
      </Button>
    </form>
  )
}
