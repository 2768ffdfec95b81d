/** Told once a page view; a page that is left meanwhile has told it all the same. */
export function countView(itemId: string, referrer: string) {
  if (document.documentElement.dataset.viewed === itemId) return
  document.documentElement.dataset.viewed = itemId
  const body = new Blob([JSON.stringify({ item_id: itemId, referrer: referrer.slice(0, 300) })], { type: 'application/json' })
  navigator.sendBeacon('/functions/v1/count-view', body)
}
