import type { ReactNode } from 'react'
import { matchPath, Navigate, useLocation } from 'react-router-dom'
import { useSession } from '../api/session.ts'
import { paths } from '../paths.ts'

/** The pages that a session opens, and the portal that finishes a sign-in for each. */
const doors: [area: string, portal: string][] = [
  ['/dashboard/*', paths.sellerPortal],
  ['/buyer-dashboard/*', paths.buyerPortal],
  ...['/staff/*', paths.pricing, paths.thankYou, paths.referrals].map((area): [string, string] => [area, paths.auth]),
]

/** A sign-in that stopped before the second factor goes on where it stopped, whichever door it tries. */
export function SecondFactorFirst({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  const { half } = useSession({ eager: false })
  const door = half ? doors.find(([area]) => matchPath(area, pathname)) : undefined
  return door ? <Navigate to={door[1]} replace /> : children
}
