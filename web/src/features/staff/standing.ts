export type Standing = 'staff' | 'needs_second_factor' | 'nobody'

/** The role that the token claims. The server asks again at every call; this only decides which page is shown. */
export function standingOf(accessToken: string): Standing {
  try {
    const claims = accessToken.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    const { staff, staff_needs: needs } = JSON.parse(atob(claims)).app_metadata
    if (staff === true) return 'staff'
    return needs === 'second_factor' ? 'needs_second_factor' : 'nobody'
  } catch {
    return 'nobody'
  }
}
