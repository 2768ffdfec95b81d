import { type ReactNode, Suspense, useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { isAdmitted, isConfirmation, settleArrival, useArrival } from '../api/arrival.ts'
import { arrivalHash, dropArrival } from '../api/keys.ts'
import { landingFor, sendSignUpRecord } from '../api/roles.ts'
import { useSession } from '../api/session.ts'
import { lazyPart } from '../lazyPage.tsx'
import { paths } from '../paths.ts'
import { toast } from '../ui/toast.tsx'
import { PageLoading } from './states.tsx'

const ArrivalQuestion = lazyPart(async () => (await import('../features/portal/ArrivalQuestion.tsx')).ArrivalQuestion)
const ArrivalFailed = lazyPart(async () => (await import('../features/portal/ArrivalFailed.tsx')).ArrivalFailed)

const afterConfirmationMs = 1000

/** A session that a link brought is decided on before the page that it led to is drawn. */
export function ArrivalFirst({ children }: { children: ReactNode }) {
  const arrival = useArrival()
  useEffect(() => {
    void settleArrival()
  }, [])
  useConfirmation()
  if (arrival.state === 'none') return children
  return (
    <Suspense fallback={<PageLoading />}>
      {arrival.state === 'asking' ? <ArrivalQuestion {...arrival} /> : <ArrivalFailed {...arrival} />}
    </Suspense>
  )
}

/** A confirmed address: a toast, then the dashboard. A recovery link goes to the page for the new password, unless the lost second factor comes first. */
function useConfirmation() {
  const navigate = useNavigate()
  const { user, event, half } = useSession({ eager: false, half: true })
  const userId = user?.id
  useEffect(() => {
    if (event === 'PASSWORD_RECOVERY' && location.pathname !== paths.lostSecondFactor) navigate(paths.resetPassword, { replace: true })
  }, [event, navigate])
  useEffect(() => {
    const message = arrivalHash.get('message')
    if (message === null) return
    dropArrival()
    toast.info('One more step', message)
  }, [])
  useEffect(() => {
    if (!userId || !isAdmitted() || !isConfirmation()) return
    if (arrivalHash.get('type') === 'signup') toast.success('Email confirmed', 'Your account is ready. Taking you in.')
    else toast.success('Your email address has changed')
    if (!half) void sendSignUpRecord()
    const portal = /^\/auth\/(seller|buyer)$/.exec(location.pathname)?.[1] as 'seller' | 'buyer' | undefined
    const timer = setTimeout(async () => {
      const home = half ? paths.auth : await landingFor(userId, portal)
      dropArrival()
      navigate(home, { replace: true })
    }, afterConfirmationMs)
    return () => clearTimeout(timer)
  }, [userId, half, navigate])
}
