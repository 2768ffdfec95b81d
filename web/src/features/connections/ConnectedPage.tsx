import type { AppId } from '@operon/contracts/integrations/apps'
import { appOf } from '@operon/contracts/integrations/apps'
import { useEffect, useRef, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { PageLoading } from '../../shell/states.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyRow } from '../../ui/Mark.tsx'
import { CHANNEL, CLOSES, type Told } from './connecting.ts'

/** `to`: the page to go on to; null in a window of its own, which is done. */
type Outcome = { ok: boolean; text: string; to: string | null }

/** Where an app sends the browser after the person approved or refused. In a window of its own it tells the page that began, and closes. */
export function ConnectedPage() {
  const { app = '' } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const { status, user, half } = useSession()
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const begun = useRef(false)
  const name = appOf(app)?.name ?? (app === 'custom' ? 'The API' : 'The app')
  const signedIn = Boolean(user && !half)

  useEffect(() => {
    if (!signedIn || begun.current) return
    // A code is good once: a second look at this page must not spend it.
    begun.current = true
    const tell = (told: Told) => {
      const channel = new BroadcastChannel(CHANNEL)
      channel.postMessage(told)
      channel.close()
    }
    const finish = async () => {
      const [state, code, error, realm] = ['state', 'code', 'error', 'realmId'].map((key) => search.get(key) ?? undefined)
      if (app === 'custom') {
        const { name: api } = await call('finish-custom-sign-in', { state: state ?? '', code, error })
        tell({ app, ok: true, account: api })
        setOutcome({ ok: true, text: `${api} is connected.`, to: window.opener ? null : paths.apps })
        return window.close()
      }
      const { connection, return_to } = await call('finish-connection', { state: state ?? '', code, error, realm_id: realm })
      tell({ app: app as AppId, ok: true, account: `${name} (${connection.account})` })
      const to = return_to === CLOSES ? null : (return_to ?? paths.apps)
      setOutcome({ ok: true, text: `${connection.account} is connected.`, to })
      if (to === null) window.close()
      else navigate(to, { replace: true })
    }
    finish().catch((error: Error) => {
      tell({ app: app as AppId, ok: false, message: error.message })
      setOutcome({ ok: false, text: error.message, to: window.opener ? null : paths.apps })
    })
  }, [signedIn, app, name, navigate, search])

  if (status === 'loading' || (signedIn && !outcome)) return <PageLoading />
  if (!outcome)
    return (
      <PublicMessage
        art={<EmptyRow />}
        title="Sign in to finish"
        actions={
          <ButtonLink to={paths.auth} size="public">
            Sign in
          </ButtonLink>
        }
      >
        <p>{name} was not connected, since nobody is signed in here. Sign in and press Connect again.</p>
      </PublicMessage>
    )
  return (
    <PublicMessage
      art={<EmptyRow />}
      title={outcome.ok ? `${name} is connected` : `${name} was not connected`}
      actions={
        outcome.to === null ? (
          <Button size="public" onClick={() => window.close()}>
            Close this window
          </Button>
        ) : (
          <ButtonLink to={outcome.to} size="public">
            Go to the App Library
          </ButtonLink>
        )
      }
    >
      <p>{outcome.text}</p>
    </PublicMessage>
  )
}
