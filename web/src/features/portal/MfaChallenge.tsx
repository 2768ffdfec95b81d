import { texts } from '@operon/contracts/messages'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { clearAuthKeys } from '../../api/keys.ts'
import { expectEnd, loadBackend } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'

type Props = { report: (title: string, text?: string) => void; onDone: () => Promise<void> | void; onLeave?: () => void }

const wrong = 'That code is wrong or was already used. Enter the one your app shows now.'

/** The second factor: a code of the authenticator or the phone, or one of the recovery codes. */
export function MfaChallenge({ report, onDone, onLeave }: Props) {
  const [recovery, setRecovery] = useState(false)
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code')).trim()
    setBusy(true)
    try {
      await (recovery ? redeemRecoveryCode(code) : verify(code))
      await onDone()
    } catch (error) {
      const isWrong = !recovery && (error as { code?: string }).code === 'mfa_verification_failed'
      report('The code was not accepted', isWrong ? wrong : error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy(false)
    }
  }

  async function leave() {
    const { auth } = await loadBackend()
    expectEnd('own')
    await auth.signOut({ scope: 'local' })
    clearAuthKeys()
    onLeave?.()
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        key={String(recovery)}
        label={recovery ? 'Recovery code' : 'Six-digit code'}
        name="code"
        required
        autoFocus
        autoComplete="one-time-code"
        inputMode={recovery ? 'text' : 'numeric'}
        className="font-mono tracking-[0.2em]"
        hint={recovery ? 'Each recovery code works once.' : 'From your authenticator app or the message on your phone.'}
      />
      <Button type="submit" variant="primary" size="public" busy={busy ? 'Checking' : false}>
        Continue
      </Button>
      <Button variant="ghost" onClick={() => setRecovery(!recovery)}>
        {recovery ? 'Use a six-digit code' : 'Use a recovery code'}
      </Button>
      <ButtonLink to={paths.lostSecondFactor} variant="ghost">
        I lost it, or it is not mine
      </ButtonLink>
      {onLeave ? (
        <Button variant="ghost" onClick={leave}>
          Sign in as someone else
        </Button>
      ) : null}
    </form>
  )
}

async function verify(code: string) {
  const { auth } = await loadBackend()
  const { data, error } = await auth.mfa.listFactors()
  if (error) throw error
  const factor = data.all.find((candidate) => candidate.status === 'verified')
  if (!factor) throw new Error('This account has no verified second factor.')
  const answer = await auth.mfa.challengeAndVerify({ factorId: factor.id, code })
  if (answer.error) throw answer.error
}

async function redeemRecoveryCode(code: string) {
  const { auth } = await loadBackend()
  const session = await call('account-recovery-use', { code })
  const { error } = await auth.setSession(session)
  if (error) throw error
}
