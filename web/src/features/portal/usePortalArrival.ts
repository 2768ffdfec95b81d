import { texts } from '@operon/contracts/messages'
import { useCallback, useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { arrivalHash } from '../../api/keys.ts'
import { landingFor, type Role, sendSignUpRecord } from '../../api/roles.ts'
import { loadBackend, needsSecondFactor, useSession } from '../../api/session.ts'
import { termsVersion } from '../../content/versions.ts'
import { paths } from '../../paths.ts'
import { setTheme } from '../../ui/theme.ts'
import { toast } from '../../ui/toast.tsx'

const afterSignInMs = 100
const afterConfirmationMs = 1000
let confirmationSeen = false

/**
 * What happens around the forms: a confirmation link is answered, a session that exists already goes home, and `land` finishes
 * this page's own sign-in. The auth client says SIGNED_IN again when a tab regains focus, so the welcome hangs on the submit, not on the event.
 */
export function usePortalArrival(
  role: Role | undefined,
  { onError, onSecondFactor }: { onError: (title: string, text: string) => void; onSecondFactor: () => void },
) {
  const navigate = useNavigate()
  const { status, user, event } = useSession()
  const acting = useRef(false)

  const land = useCallback(
    async (welcome: { title: string; text?: string }) => {
      acting.current = true
      const { auth } = await loadBackend()
      const { data } = await auth.getSession()
      if (!data.session) return
      const saved = data.session.user.user_metadata.theme
      if (saved === 'light' || saved === 'dark') setTheme(saved)
      void sendSignUpRecord()
      toast.success(welcome.title, welcome.text)
      const home = await landingFor(data.session.user.id, role)
      setTimeout(() => navigate(home, { replace: true }), afterSignInMs)
    },
    [navigate, role],
  )

  useEffect(() => {
    if (confirmationSeen) return
    const type = arrivalHash.get('type')
    const failed = arrivalHash.get('error_description') ?? arrivalHash.get('error')
    if (failed) {
      confirmationSeen = true
      return onError(texts.confirmationError, failed)
    }
    const message = arrivalHash.get('message')
    if (message) {
      confirmationSeen = true
      toast.info('One more step', message)
      return
    }
    if (type !== 'signup' && type !== 'email_change') return
    if (status === 'loading') return
    confirmationSeen = true
    if (!user) return void whyNoSession().then((why) => onError(texts.confirmationError, why))
    acting.current = true
    if (type === 'signup') toast.success('Email confirmed', 'Your account is ready. Taking you in.')
    else toast.success('Your e-mail address is changed')
    void sendSignUpRecord()
    void needsSecondFactor().then(async (needed) => {
      if (needed) return onSecondFactor()
      const home = await landingFor(user.id, role)
      setTimeout(() => navigate(home, { replace: true }), afterConfirmationMs)
    })
  }, [status, user, role, navigate, onError, onSecondFactor])

  useEffect(() => {
    if (event === 'PASSWORD_RECOVERY') return void navigate(paths.resetPassword, { replace: true })
    if (status !== 'signed-in' || !user || acting.current) return
    acting.current = true
    void needsSecondFactor().then(async (needed) => {
      if (needed) onSecondFactor()
      else {
        if (arrivalHash.has('provider_token')) await welcomeFromProvider(user.user_metadata)
        navigate(await landingFor(user.id, role), { replace: true })
      }
    })
  }, [status, user, event, role, navigate, onSecondFactor])

  const begin = useCallback(() => {
    acting.current = true
  }, [])
  return { land, begin, user, status }
}

/** What the auth client says of a link that was read and brought no session. */
async function whyNoSession(): Promise<string> {
  const { auth } = await loadBackend()
  const { error } = await auth.initialize()
  return `${(error?.message ?? texts.tokenVerificationError).replace(/\.?$/, '.')} Sign in with your e-mail and password.`
}

/** The first arrival by a provider is the sign-up: the terms stood beside the button. */
async function welcomeFromProvider(metadata: Record<string, unknown>) {
  arrivalHash.delete('provider_token')
  const { auth } = await loadBackend()
  if (!metadata.terms_version) await auth.updateUser({ data: { accept_terms: true, terms_version: termsVersion } })
  void sendSignUpRecord()
  toast.success('Welcome!', 'You are signed in.')
}
