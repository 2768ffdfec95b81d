import { useCallback, useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { isConfirmation } from '../../api/arrival.ts'
import { demoOf } from '../../api/demo.ts'
import { arrivalHash } from '../../api/keys.ts'
import { landingFor, type Role, sendSignUpRecord } from '../../api/roles.ts'
import { expectSignIn, loadBackend, needsSecondFactor, useSession } from '../../api/session.ts'
import { termsVersion } from '../../content/versions.ts'
import { setTheme } from '../../ui/theme.ts'
import { toast } from '../../ui/toast.tsx'

const afterSignInMs = 100

/**
 * Everything around the forms: a person who is signed in already goes home, and `land` finishes this page's own sign-in. The auth client says SIGNED_IN again when a tab regains focus, so the welcome hangs on the submit, not on the event.
 */
export function usePortalArrival(role: Role | undefined, { onSecondFactor }: { onSecondFactor: () => void }) {
  const navigate = useNavigate()
  const { status, user, event } = useSession({ half: true })
  const acting = useRef(false)

  const land = useCallback(
    async (welcome: { title: string; text?: string }) => {
      acting.current = true
      const { auth } = await loadBackend()
      const { data } = await auth.getSession()
      if (!data.session) return
      const saved = data.session.user.user_metadata.theme
      if (saved === 'light' || saved === 'dark') setTheme(saved)
      // A demo signed up for nothing.
      if (!demoOf(data.session)) void sendSignUpRecord()
      toast.success(welcome.title, welcome.text)
      const home = await landingFor(data.session.user.id, role)
      setTimeout(() => navigate(home, { replace: true }), afterSignInMs)
    },
    [navigate, role],
  )

  useEffect(() => {
    if (status !== 'signed-in' || !user || acting.current || isConfirmation() || event === 'PASSWORD_RECOVERY') return
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
    expectSignIn()
  }, [])
  return { land, begin, user, status }
}

/** The first arrival by a provider is the sign-up: the terms stood beside the button. */
async function welcomeFromProvider(metadata: Record<string, unknown>) {
  arrivalHash.delete('provider_token')
  const { auth } = await loadBackend()
  if (!metadata.terms_version) await auth.updateUser({ data: { accept_terms: true, terms_version: termsVersion } })
  void sendSignUpRecord()
  toast.success('Welcome!', 'You are signed in.')
}
