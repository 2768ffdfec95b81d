import { texts } from '@operon/contracts/messages'
import { type FormEvent, useState } from 'react'
import { call, callPublic } from '../../api/call.ts'
import { ApiError } from '../../api/http.ts'
import { useSession } from '../../api/session.ts'
import { Button, type ButtonLook, buttonClass } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Offer } from './page.ts'

/** Leads to the payment page. Without JavaScript the form does the same by itself. */
export function Buy({ offer, className, variant }: { offer: Offer; className?: string; variant?: ButtonLook['variant'] }) {
  const { user } = useSession({ eager: false })
  const [busy, setBusy] = useState(false)
  if (!offer.price_cents)
    return (
      <a
        href={`/files/v1/marketplace/~free/${offer.id}`}
        download
        aria-label={`Download ${offer.title}`}
        className={buttonClass({ variant, size: 'public' }, className)}
      >
        Download
      </a>
    )
  async function buy(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    try {
      const { url } = await (user ? call('start-checkout', { item_id: offer.id }) : callPublic('start-checkout', { item_id: offer.id }))
      location.assign(url)
    } catch (error) {
      setBusy(false)
      if (error instanceof ApiError && error.code === 'seller_not_ready') toast.info(texts.purchaseComingSoon)
      else toast.error('Checkout did not open', error instanceof Error ? error.message : undefined)
    }
  }
  return (
    <form method="post" action="/functions/v1/buy-now" onSubmit={buy}>
      <input type="hidden" name="item_id" value={offer.id} />
      <Button type="submit" size="public" variant={variant} busy={busy} className={className} aria-label={`Buy Now: ${offer.title}`}>
        Buy Now
      </Button>
    </form>
  )
}
