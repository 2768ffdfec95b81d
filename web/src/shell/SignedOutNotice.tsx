import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { useSession } from '../api/session.ts'
import { paths } from '../paths.ts'
import { toast } from '../ui/toast.tsx'

/** On a page that needs no session. The others lead to sign-in, which says it. */
export function SignedOutNotice() {
  const { ended } = useSession({ eager: false })
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const saysItself = /^\/(auth|dashboard|buyer-dashboard)\b/.test(pathname)
  useEffect(() => {
    if (ended !== 'elsewhere' || saysItself) return
    toast.info('You were signed out on another device', 'Sign in again to continue.', {
      action: { label: 'Sign in', run: () => navigate(paths.auth) },
    })
  }, [ended, saysItself, navigate])
  return null
}
