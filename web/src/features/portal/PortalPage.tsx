import { REFERRAL_PERCENT_OFF } from '@operon/contracts/plans'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Link, Navigate, useLocation, useParams } from 'react-router-dom'
import { callPublic } from '../../api/call.ts'
import { isReferralCode, referralKey } from '../../api/keys.ts'
import type { Role } from '../../api/roles.ts'
import { type Ended, needsSecondFactor, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Alert } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { MfaChallenge } from './MfaChallenge.tsx'
import { OtherWays } from './OtherWays.tsx'
import { PortalFrame } from './PortalFrame.tsx'
import { SignInForm } from './SignInForm.tsx'
import { SignUpForm } from './SignUpForm.tsx'
import { usePortalArrival } from './usePortalArrival.ts'

export type Report = (title: string, text?: string, tone?: 'bad' | 'good') => void

export function GeneralPortalPage() {
  return <Portal />
}

/** The seller's, unless the address says buyer. */
export function RolePortalPage() {
  const { userType } = useParams()
  const { search } = useLocation()
  if (userType !== 'seller' && userType !== 'buyer') return <Navigate to={{ pathname: paths.sellerPortal, search }} replace />
  return <Portal key={userType} role={userType} />
}

const whyEnded: Record<Ended, [title: string, text: string]> = {
  elsewhere: ['You were signed out on another device', 'The session was ended there, or by a new password. Sign in again to continue.'],
  expired: ['Your session has expired', 'You were away for a long time. Sign in again to continue.'],
  'other-tab': ['You signed out in another tab', 'Sign in again to continue.'],
}

/** One portal. With a role its errors stand in a red alert; the general one uses toasts. */
function Portal({ role }: { role?: Role }) {
  const { search } = useLocation()
  const [tab, setTab] = useState<'in' | 'up'>('in')
  const [notice, setNotice] = useState<{ tone: 'bad' | 'good'; title: string; text?: string }>()
  const [secondFactor, setSecondFactor] = useState(false)
  const askSecondFactor = useCallback(() => setSecondFactor(true), [])
  const referral = useReferral(search)
  // On a small screen the button that was pressed is below what is said of it.
  const said = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (notice) said.current?.scrollIntoView({ block: 'nearest' })
  }, [notice])

  const report: Report = useCallback(
    (title, text, tone = 'bad') => {
      if (role) return setNotice({ title, text, tone })
      if (tone === 'bad') toast.error(title, text)
      else toast.success(title, text)
    },
    [role],
  )
  const { land, begin } = usePortalArrival(role, { onSecondFactor: askSecondFactor })
  const { ended } = useSession()

  async function signedIn(welcome: { title: string; text?: string }) {
    setNotice(undefined)
    if (await needsSecondFactor()) return setSecondFactor(true)
    await land(welcome)
  }

  const form = { role, report, begin, clear: () => setNotice(undefined), onSignedIn: signedIn }
  return (
    <PortalFrame role={role}>
      <h1 className="text-28 font-semibold">Welcome</h1>
      <p className="mt-1 mb-6 text-14 text-muted">
        {secondFactor
          ? 'One more step: this account asks for a second factor.'
          : role === 'seller'
            ? 'Your seller account: the dashboard and every tool.'
            : role === 'buyer'
              ? 'Your buyer account, for every storefront.'
              : 'Sign in, or create an account.'}
      </p>
      {ended && !notice ? (
        <Alert tone="warn" title={whyEnded[ended][0]} className="mb-5">
          {whyEnded[ended][1]}
        </Alert>
      ) : null}
      <div ref={said} className="scroll-mt-4">
        {notice ? (
          <Alert tone={notice.tone} title={notice.title} className="mb-5">
            {notice.text}
          </Alert>
        ) : null}
      </div>
      {referral ? (
        <Alert tone={referral.valid ? 'good' : 'warn'} className="mb-5">
          {referral.valid
            ? `Referral code ${referral.code}: ${referral.percent}% off your first month, taken off at checkout.`
            : `The referral code ${referral.code} is not known here. You can sign up without it.`}
        </Alert>
      ) : null}
      {secondFactor ? (
        <MfaChallenge report={report} onDone={() => land({ title: 'Welcome back!' })} onLeave={() => setSecondFactor(false)} />
      ) : (
        <>
          <Tabs
            look="segment"
            label="Sign in or sign up"
            value={tab}
            onChange={(next) => {
              setTab(next)
              setNotice(undefined)
            }}
            tabs={[
              { id: 'in', label: 'Sign In', panel: <SignInForm {...form} /> },
              { id: 'up', label: 'Sign Up', panel: <SignUpForm {...form} referred={Boolean(referral?.valid)} /> },
            ]}
          />
          <OtherWays role={role} report={report} begin={begin} onSignedIn={signedIn} />
          {role ? (
            <p className="mt-6 text-13 text-faint">
              {role === 'seller' ? 'Here to buy? ' : 'Here to sell? '}
              <Link
                to={role === 'seller' ? paths.buyerPortal : paths.sellerPortal}
                className="text-muted underline decoration-control underline-offset-4 hover:text-text"
              >
                Use the {role === 'seller' ? 'buyer' : 'seller'} portal
              </Link>
            </p>
          ) : null}
        </>
      )}
    </PortalFrame>
  )
}

/** The code brought by `?ref=` stays with the browser until sign-in; the server says whether it counts. */
function useReferral(search: string) {
  const [code, setCode] = useState<string | null>(null)
  useEffect(() => {
    const arrived = new URLSearchParams(search).get('ref')
    if (isReferralCode(arrived)) localStorage.setItem(referralKey, arrived)
    setCode(arrived ?? localStorage.getItem(referralKey))
  }, [search])
  const { data } = useQuery({
    queryKey: ['referral', code],
    queryFn: async (): Promise<{ valid: boolean; percent_off?: number }> =>
      isReferralCode(code) ? callPublic('validate-referral', { code }) : { valid: false },
    enabled: Boolean(code),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
  })
  if (!code || !data) return undefined
  return { code: code.slice(0, 40), valid: data.valid, percent: data.percent_off ?? REFERRAL_PERCENT_OFF }
}
