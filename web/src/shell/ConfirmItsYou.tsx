import { errors, texts } from '@operon/contracts/messages'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Usb } from 'lucide-react'
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react'
import { listPasskeys, proveSecurityKey, signInWithPasskey } from '../api/device.ts'
import { factorName, factorsOf, knowsDevices } from '../api/factors.ts'
import { ApiError } from '../api/http.ts'
import { loadBackend, sessionNow } from '../api/session.ts'
import { Button } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { PasswordField, TextField } from '../ui/Field.tsx'
import { Alert } from '../ui/Panel.tsx'
import { codeProblem, SendAgain } from '../ui/WaitForCode.tsx'

let waiting: ((confirmed: boolean) => void) | undefined
const listeners = new Set<() => void>()

/** Runs something sensitive; when the server asks for a fresh proof, asks the person and runs it again. `asks: false` where the form asks by itself. */
export async function confirmed<T>(run: () => Promise<T>, { asks = true } = {}): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const needsProof =
      (error instanceof ApiError && error.code === 'aal2_required') ||
      ['insufficient_aal', ...(asks ? ['reauthentication_needed'] : [])].includes((error as { code?: string }).code ?? '')
    if (!needsProof || !(await ask())) throw error
    return run()
  }
}

function ask() {
  waiting?.(false)
  return new Promise<boolean>((resolve) => {
    waiting = resolve
    for (const listener of listeners) listener()
  })
}
function settle(answer: boolean) {
  waiting?.(answer)
  waiting = undefined
  for (const listener of listeners) listener()
}

export function ConfirmItsYouHost() {
  const open = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiting !== undefined,
  )
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState<'form' | 'device'>()
  const user = sessionNow().session?.user
  const { keys, app } = factorsOf(user)
  const guarded = Boolean(app) || keys.length > 0

  // A person who came by a provider has no password to give.
  const byMail = !guarded && Boolean(user?.email) && !user?.identities?.some((identity) => identity.provider === 'email')
  const passkeys = useQuery({ queryKey: ['passkeys', user?.id], queryFn: listPasskeys, enabled: open && !guarded && knowsDevices() })
  const hasPasskey = !guarded && Boolean(passkeys.data?.length)
  useEffect(() => {
    if (!open || !byMail) return
    void sendCode().then(({ error }) => error && setProblem(error.message))
  }, [open, byMail])
  useEffect(() => {
    if (open) setProblem(undefined)
  }, [open])

  async function prove(by: 'form' | 'device', work: () => Promise<unknown>) {
    setBusy(by)
    setProblem(undefined)
    try {
      await work()
      settle(true)
    } catch (error) {
      setProblem(wordsOf(error as Refusal))
    } finally {
      setBusy(undefined)
    }
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const proof = String(new FormData(event.currentTarget).get('proof'))
    void prove('form', async () => {
      const { auth } = await loadBackend()
      const email = user?.email ?? ''
      const { error } = app
        ? await auth.mfa.challengeAndVerify({ factorId: app.id, code: proof })
        : byMail
          ? await auth.verifyOtp({ email, token: proof, type: 'email' })
          : await auth.signInWithPassword({ email, password: proof })
      if (error) throw error
    })
  }

  const asksDevice = guarded ? keys.length > 0 : hasPasskey
  return (
    <Dialog open={open} onClose={() => settle(false)} title="Confirm it is you" description={errors.aal2_required.message}>
      <div className="flex flex-col gap-4">
        {problem ? <Alert title="Not accepted">{problem}</Alert> : null}
        {keys.map((key) => (
          <Button
            key={key.id}
            variant={app ? 'secondary' : 'primary'}
            disabled={Boolean(busy)}
            onClick={() => prove('device', () => proveSecurityKey(key.id))}
          >
            <Usb />
            {keys.length > 1 ? `Use ${factorName(key)}` : 'Use your security key'}
          </Button>
        ))}
        {hasPasskey ? (
          <Button disabled={Boolean(busy)} onClick={() => prove('device', () => signInWithPasskey({ only: user!.id }))}>
            <KeyRound />
            Use a passkey
          </Button>
        ) : null}
        {busy === 'device' ? (
          <p role="status" className="text-13 text-muted">
            Waiting for your device
          </p>
        ) : null}
        {guarded && !app ? null : (
          <form onSubmit={submit} className={cx('flex flex-col gap-4', asksDevice && 'border-t border-line pt-4')}>
            {app || byMail ? (
              <TextField
                label={byMail ? `The code we sent to ${user?.email}` : 'Six-digit code'}
                name="proof"
                inputMode="numeric"
                autoComplete="one-time-code"
                required
                className="font-mono tracking-[0.2em]"
                data-first
              />
            ) : (
              <PasswordField label="Password" name="proof" autoComplete="current-password" required data-first />
            )}
            <Button type="submit" variant="primary" disabled={Boolean(busy)} busy={busy === 'form' ? 'Checking' : false}>
              Continue
            </Button>
          </form>
        )}
        {byMail ? <SendAgain send={sendCode} /> : null}
      </div>
    </Dialog>
  )
}

async function sendCode() {
  const { auth } = await loadBackend()
  return auth.signInWithOtp({ email: sessionNow().session?.user.email ?? '', options: { shouldCreateUser: false } })
}

/** The protocol's words for a wrong code say nothing to who typed it. */
type Refusal = { code?: string | undefined; message: string }
export const wordsOf = ({ code, message }: Refusal) =>
  code === 'mfa_verification_failed'
    ? 'That code is wrong or was already used. Enter the one your app shows now.'
    : codeProblem({ code, message: message || texts.unexpectedError })
