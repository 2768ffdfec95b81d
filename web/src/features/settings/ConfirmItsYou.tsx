import { errors, texts } from '@operon/contracts/messages'
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../../api/http.ts'
import { loadBackend, sessionNow } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { SendAgain } from '../../ui/WaitForCode.tsx'

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
  const [busy, setBusy] = useState(false)
  const user = sessionNow().session?.user
  const factor = user?.factors?.find((candidate) => candidate.status === 'verified')

  // Who came by a provider has no password to give.
  const byMail = !factor && Boolean(user?.email) && !user?.identities?.some((identity) => identity.provider === 'email')
  useEffect(() => {
    if (!open || !byMail) return
    void sendCode().then(({ error }) => error && setProblem(error.message))
  }, [open, byMail])

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const proof = String(new FormData(event.currentTarget).get('proof'))
    setBusy(true)
    setProblem(undefined)
    const { auth } = await loadBackend()
    const email = user?.email ?? ''
    const { error } = factor
      ? await auth.mfa.challengeAndVerify({ factorId: factor.id, code: proof })
      : byMail
        ? await auth.verifyOtp({ email, token: proof, type: 'email' })
        : await auth.signInWithPassword({ email, password: proof })
    setBusy(false)
    if (error) return setProblem(wordsOf(error))
    settle(true)
  }

  return (
    <Dialog open={open} onClose={() => settle(false)} title="Confirm it is you" description={errors.aal2_required.message}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {problem ? <Alert title="Not accepted">{problem}</Alert> : null}
        {factor || byMail ? (
          <TextField
            label={byMail ? `The code we sent to ${user?.email}` : 'Six-digit code'}
            name="proof"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            className="font-mono tracking-[0.2em]"
          />
        ) : (
          <PasswordField label="Password" name="proof" autoComplete="current-password" required />
        )}
        <Button type="submit" variant="primary" busy={busy ? 'Checking' : false}>
          Continue
        </Button>
      </form>
      {byMail ? <SendAgain send={sendCode} className="mt-3" /> : null}
    </Dialog>
  )
}

async function sendCode() {
  const { auth } = await loadBackend()
  return auth.signInWithOtp({ email: sessionNow().session?.user.email ?? '', options: { shouldCreateUser: false } })
}

/** The protocol's words for a wrong code say nothing to who typed it. */
export const wordsOf = ({ code, message }: { code?: string | undefined; message: string }) =>
  code === 'mfa_verification_failed'
    ? 'That code is wrong or was already used. Enter the one your app shows now.'
    : message || texts.unexpectedError
