import { useNavigate } from 'react-router-dom'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.tsx'
import { addToCart, keepCart, MOST_IN_CART, useCart } from './cart.ts'
import type { Offer } from './page.ts'

/** Several products of one seller are paid for together. */
export function AddToCart({ offer }: { offer: Offer }) {
  const navigate = useNavigate()
  const cart = useCart()
  const isIn = cart?.ids.includes(offer.id)
  function add() {
    if (isIn) return navigate(paths.cart)
    const before = cart
    const done = addToCart(offer.seller.slug, offer.id)
    const see = { action: { label: 'Open the cart', run: () => navigate(paths.cart) } }
    if (done === 'full') toast.error('Your cart is full', `One order holds up to ${MOST_IN_CART} products.`)
    else if (done === 'began') toast.undo('A cart holds one seller’s products, so a new one began', () => keepCart(before))
    else toast.success('Added to your cart', undefined, see)
  }
  return (
    <Button size="public" onClick={add}>
      {isIn ? 'Open the cart' : 'Add to cart'}
    </Button>
  )
}
