/** What the token claims. The server asks again at every call; this only decides which page is shown. */
export function isStaff(accessToken: string): boolean {
  try {
    const claims = accessToken.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    return JSON.parse(atob(claims)).app_metadata?.staff === true
  } catch {
    return false
  }
}
