import { clearLocalStorage } from './keys.ts'
import { expectOwnEnd } from './live.ts'
import { expectEnd, loadBackend } from './session.ts'

/** Everywhere, not only here. 401, 403 and 404 are a session already gone; anything else leaves the person signed in, and says so. */
export async function signOut(): Promise<boolean> {
  const { auth } = await loadBackend()
  expectOwnEnd()
  expectEnd('own')
  const { error } = await auth.signOut({ scope: 'global' })
  if (error) {
    expectOwnEnd(false)
    expectEnd(undefined)
    return false
  }
  clearLocalStorage()
  return true
}
