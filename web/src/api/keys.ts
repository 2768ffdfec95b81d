// Names of what the browser remembers. Known without loading the auth client.
export const storageKey = 'operon-auth'
export const referralKey = 'referral_code'

/** The session that a link brought: taken out of the address at once, so that nothing reads it there by itself. */
export let arrivalHash = new URLSearchParams()
/** The mark of a link or sign-in that this browser asked for, as the address brought it. */
export let arrivalMark: string | null = null

const brought = ['access_token', 'error', 'error_code', 'error_description', 'message', 'type']

export function keepArrival() {
  const url = new URL(location.href)
  const hash = new URLSearchParams(url.hash.slice(1))
  arrivalMark = url.searchParams.get('asked')
  if (brought.some((name) => hash.has(name))) {
    arrivalHash = hash
    url.hash = ''
    for (const name of ['error', 'error_code', 'error_description']) url.searchParams.delete(name)
  }
  url.searchParams.delete('asked')
  if (url.href !== location.href) history.replaceState(history.state, '', url)
  const code = url.searchParams.get('ref')
  if (isReferralCode(code)) localStorage.setItem(referralKey, code)
}

export function dropArrival() {
  arrivalHash = new URLSearchParams()
}

/** A text that cannot be a code is neither kept nor asked about. */
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
