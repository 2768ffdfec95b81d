import { texts } from '@operon/contracts/messages'
import type { Factor } from '@supabase/auth-js'
import { Usb } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { factorName, factorsOf, isKey } from '../../api/factors.ts'
import { clearAuthKeys } from '../../api/keys.ts'
import { expectEnd, loadBackend, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'

type Report = (title: string, text?: string) => void
type Props = { report: Report; onDone: () => Promise<void> | void; onLeave?: () => void }

const wrong = 'That code is wrong or was already used. Enter the one your app shows now.'

/** The second factor: the touch of a security key, a code of the authenticator app, or one of the recovery codes. */
export function MfaChallenge({ report, onDone, onLeave }: Props) {
  const { user } = useSession({ half: true })
  const { keys, app } = factorsOf(user)
  const [chosen, setChosen] = useState<'key' | 'code' | 'recovery'>()
  const way = chosen ?? (keys.length ? 'key' : 'code')

  async function leave() {
    const { auth } = await loadBackend()
    expectEnd('own')
    await auth.signOut({ scope: 'local' })
    clearAuthKeys()
    onLeave?.()
  }

  const prove = { report, onDone }
  return (
    <div className="flex flex-col gap-4">
      {way === 'key' ? <KeyPart keys={keys} {...prove} /> : <CodePart key={way} isRecovery={way === 'recovery'} {...prove} />}
      {way !== 'key' && keys.length ? (
        <Button variant="ghost" onClick={() => setChosen('key')}>
          Use your security key
        </Button>
      ) : null}
      {way !== 'code' && (app || !keys.length) ? (
        <Button variant="ghost" onClick={() => setChosen('code')}>
          Use a six-digit code
        </Button>
      ) : null}
      {way !== 'recovery' ? (
        <Button variant="ghost" onClick={() => setChosen('recovery')}>
          Use a recovery code
        </Button>
      ) : null}
      <ButtonLink to={paths.lostSecondFactor} variant="ghost">
        I lost it, or it is not mine
      </ButtonLink>
      {onLeave ? (
        <Button variant="ghost" onClick={leave}>
          Sign in as someone else
        </Button>
      ) : null}
    </div>
  )
}

type PartProps = Pick<Props, 'report' | 'onDone'>

function KeyPart({ keys, report, onDone }: PartProps & { keys: Factor[] }) {
  const [busy, setBusy] = useState('')

  async function touch(id: string) {
    setBusy(id)
    try {
      const { proveSecurityKey } = await import('../../api/device.ts')
      await proveSecurityKey(id)
      await onDone()
    } catch (error) {
      report('The key was not accepted', error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy('')
    }
  }

  return (
    <>
      <p className="text-14 text-muted">Insert your security key, or hold it to your phone, then touch it when your browser asks.</p>
      {keys.map((key, at) => (
        <Button
          key={key.id}
          variant={at ? 'secondary' : 'primary'}
          size="public"
          autoFocus={at === 0}
          disabled={busy !== ''}
          busy={busy === key.id ? 'Waiting for your key' : false}
          onClick={() => touch(key.id)}
        >
          <Usb />
          {keys.length > 1 ? `Use ${factorName(key)}` : 'Use your security key'}
        </Button>
      ))}
    </>
  )
}

function CodePart({ isRecovery, report, onDone }: PartProps & { isRecovery: boolean }) {
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code')).trim()
    setBusy(true)
    try {
      await (isRecovery ? redeemRecoveryCode(code) : verify(code))
      await onDone()
    } catch (error) {
      const isWrong = !isRecovery && (error as { code?: string }).code === 'mfa_verification_failed'
      report('The code was not accepted', isWrong ? wrong : error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label={isRecovery ? 'Recovery code' : 'Six-digit code'}
        name="code"
        required
        autoFocus
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        className="font-mono tracking-[0.2em]"
        hint={isRecovery ? 'Each recovery code works once.' : 'From your authenticator app.'}
      />
      <Button type="submit" variant="primary" size="public" busy={busy ? 'Checking' : false}>
        Continue
      </Button>
    </form>
  )
}

async function verify(code: string) {
  const { auth } = await loadBackend()
  const { data, error } = await auth.mfa.listFactors()
  if (error) throw error
  const factor = data.all.find((candidate) => candidate.status === 'verified' && !isKey(candidate))
  if (!factor) throw new Error('This account has no authenticator app. Use a recovery code.')
  const answer = await auth.mfa.challengeAndVerify({ factorId: factor.id, code })
  if (answer.error) throw answer.error
}

async function redeemRecoveryCode(code: string) {
  const { auth } = await loadBackend()
  const session = await call('account-recovery-use', { code })
  const { error } = await auth.setSession(session)
  if (error) throw error
}
