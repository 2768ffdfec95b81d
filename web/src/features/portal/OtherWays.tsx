import { texts } from '@operon/contracts/messages'
import type { Provider } from '@supabase/auth-js'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { leadBack } from '../../api/arrival.ts'
import { openDemo } from '../../api/demo.ts'
import { clearAuthKeys } from '../../api/keys.ts'
import { useAuthSettings, usePlatform } from '../../api/platform.ts'
import type { Role } from '../../api/roles.ts'
import { loadBackend } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import type { Report } from './PortalPage.tsx'
import { ProviderIcon } from './ProviderIcon.tsx'

const names: Record<string, string> = {
  google: 'Google',
  github: 'GitHub',
  azure: 'Microsoft',
  apple: 'Apple',
  facebook: 'Facebook',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
  notion: 'Notion',
  discord: 'Discord',
}

type Props = { role?: Role; report: Report; begin: () => void; onSignedIn: (welcome: { title: string; text?: string }) => Promise<void> }

/** The providers this installation is configured for, and the demo where it has one. */
export function OtherWays({ role, report, begin, onSignedIn }: Props) {
  const settings = useAuthSettings()
  const { demo_accounts } = usePlatform()
  const [busy, setBusy] = useState('')
  const providers = Object.entries(settings?.external ?? {}).filter(([name, enabled]) => enabled && names[name])

  async function withProvider(provider: string) {
    begin()
    clearAuthKeys()
    const { auth } = await loadBackend()
    const { error } = await auth.signInWithOAuth({
      provider: provider as Provider,
      options: { redirectTo: leadBack(role ? `/auth/${role}` : paths.auth, 'oauth') },
    })
    if (error) report(texts.error, error.message)
  }

  async function demo(portal: Role) {
    setBusy(portal)
    try {
      begin()
      clearAuthKeys()
      const opened = await openDemo(portal)
      await onSignedIn({
        title: 'Welcome to the demo',
        text: `A sample account to explore for a day. ${opened?.readsOnly ? 'Nothing in it can be changed.' : 'No real money is involved.'}`,
      })
    } catch (error) {
      report(texts.error, error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy('')
    }
  }

  const portals: Role[] = role ? [role] : ['seller', 'buyer']
  return (
    <>
      {providers.length ? (
        <div className="mt-7">
          <p className="flex items-center gap-3 text-13 text-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            or continue with
          </p>
          <div className="mt-4 grid grid-cols-2 gap-2">
            {providers.map(([provider]) => (
              <Button
                key={provider}
                size="public"
                className="last:odd:col-span-2"
                aria-label={`Continue with ${names[provider]}`}
                onClick={() => withProvider(provider)}
              >
                <ProviderIcon provider={provider} />
                {names[provider]}
              </Button>
            ))}
          </div>
          <p className="mt-3 text-12 text-faint">
            By continuing you accept the{' '}
            <Link to={paths.terms} target="_blank" className="underline decoration-control underline-offset-4 hover:text-text">
              Terms of Service
            </Link>{' '}
            and the{' '}
            <Link to={paths.privacy} target="_blank" className="underline decoration-control underline-offset-4 hover:text-text">
              Privacy Policy
            </Link>
            .
          </p>
        </div>
      ) : null}
      {demo_accounts ? (
        <p className="mt-6 flex flex-wrap items-center gap-x-1.5 border-t border-line pt-5 text-13 text-muted">
          {portals.map((portal, at) => (
            <span key={portal} className="contents">
              {at > 0 ? <span className="text-faint">or</span> : null}
              <Button
                variant="ghost"
                className="!px-0 underline decoration-control underline-offset-4"
                busy={busy === portal}
                aria-label={`Try the demo as a ${portal}`}
                onClick={() => demo(portal)}
              >
                {at === 0 ? `Try the demo as a ${portal}` : `as a ${portal}`}
              </Button>
            </span>
          ))}
        </p>
      ) : null}
    </>
  )
}
