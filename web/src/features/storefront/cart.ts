import { useSyncExternalStore } from 'react'

/** The products of one seller that a visitor wants to buy together, kept in this browser. */
export type Cart = { seller: string; ids: string[] }
const KEY = 'operon-cart'
export const MOST_IN_CART = 20

const listeners = new Set<() => void>()
let kept: Cart | null | undefined

function read(): Cart | null {
  if (kept === undefined) kept = parsed()
  return kept
}
function parsed(): Cart | null {
  try {
    const { seller, ids } = JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? {}
    const isCart = typeof seller === 'string' && Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === 'string')
    return isCart ? { seller, ids: ids.slice(0, MOST_IN_CART) } : null
  } catch {
    return null
  }
}

export function keepCart(cart: Cart | null) {
  kept = cart?.ids.length ? cart : null
  try {
    if (kept) localStorage.setItem(KEY, JSON.stringify(kept))
    else localStorage.removeItem(KEY)
  } catch {
    // A browser that keeps nothing has its cart until the page is left.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  const hear = ({ key }: StorageEvent) => {
    if (key !== KEY && key !== null) return
    kept = undefined
    listener()
  }
  listeners.add(listener)
  addEventListener('storage', hear)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', hear)
  }
}

export const useCart = () => useSyncExternalStore(subscribe, read, () => null)

/** Adds a product. A cart of another seller begins anew, and says so by its answer. */
export function addToCart(seller: string, id: string): 'added' | 'there' | 'began' | 'full' {
  const cart = read()
  if (cart && cart.seller !== seller) {
    keepCart({ seller, ids: [id] })
    return 'began'
  }
  if (cart?.ids.includes(id)) return 'there'
  if (cart && cart.ids.length >= MOST_IN_CART) return 'full'
  keepCart({ seller, ids: [...(cart?.ids ?? []), id] })
  return 'added'
}
