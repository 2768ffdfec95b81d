// What the browser remembers. Known without loading the auth client.
export const storageKey = 'operon-auth'
export const referralKey = 'referral_code'

/** Read before the auth client takes the hash out of the address. */
export let arrivalHash = new URLSearchParams()
export function keepArrival() {
  arrivalHash = new URLSearchParams(location.hash.startsWith('#') && location.hash.includes('=') ? location.hash.slice(1) : '')
  const code = new URLSearchParams(location.search).get('ref')
  if (isReferralCode(code)) localStorage.setItem(referralKey, code)
}

/** What cannot be a code is neither kept nor asked about. */
export function isReferralCode(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]{1,40}$/.test(text)
}

export function mayHaveSession() {
  return typeof localStorage !== 'undefined' && (localStorage.getItem(storageKey) !== null || arrivalHash.has('access_token'))
}

export function clearAuthKeys() {
  for (const key of Object.keys(localStorage)) if (key.startsWith(storageKey) || key.startsWith('sb-')) localStorage.removeItem(key)
  delete document.documentElement.dataset.session
}

/** Log out clears what the account left here; how the app looks is the device's. */
export function clearLocalStorage() {
  const theme = localStorage.getItem('operon-theme')
  localStorage.clear()
  if (theme) localStorage.setItem('operon-theme', theme)
  delete document.documentElement.dataset.session
}
