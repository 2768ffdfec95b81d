import { type FormEvent, useEffect, useState } from 'react'
import { Button } from './Button.tsx'
import { TextField } from './Field.tsx'

export type Answer = { error: { message: string; status?: number; code?: string } | null }

const cooldownSeconds = 60

/** Sends the message once more. The server's own waiting time wins over the usual one. */
export function SendAgain({ send, className }: { send: () => Promise<Answer>; className?: string }) {
  const [left, wait] = useCountdown(cooldownSeconds)
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState('')

  async function again() {
    setBusy(true)
    setSaid('')
    const { error } = await send()
    setBusy(false)
    wait(error ? secondsIn(error.message) : cooldownSeconds)
    setSaid(error ? error.message : 'Sent again. Only the newest message works.')
  }

  return (
    <div className={className}>
      <Button onClick={again} disabled={left > 0} busy={busy ? 'Sending' : false}>
        {left > 0 ? `Send again in ${left} s` : 'Send again'}
      </Button>
      <p role="status" className="mt-2 text-12 text-muted empty:hidden">
        {said}
      </p>
    </div>
  )
}

type WaitProps = { send: () => Promise<Answer>; check: (code: string) => Promise<Answer>; label?: string; action?: string }

/** For a page that waits for an email or a text message: the code from it, and the way to have it sent again. */
export function WaitForCode({ send, check, label = 'Six-digit code', action = 'Continue' }: WaitProps) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const field = event.currentTarget.elements.namedItem('code') as HTMLInputElement
    const code = field.value.replaceAll(/\D/g, '')
    setBusy(true)
    setProblem(undefined)
    const { error } = await check(code)
    setBusy(false)
    if (!error) return
    setProblem(codeProblem(error))
    field.select()
  }

  return (
    <div className="flex flex-col gap-3">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={label}
          name="code"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          className="font-mono tracking-[0.2em]"
          hint="Find it in the message, next to the link."
          error={problem}
        />
        <Button type="submit" variant="primary" size="public" busy={busy ? 'Checking' : false}>
          {action}
        </Button>
      </form>
      <SendAgain send={send} />
    </div>
  )
}

/** The protocol's words for a wrong code mean nothing to the person who typed it. */
export const codeProblem = ({ code, message }: { code?: string; message: string }) =>
  code === 'otp_expired' || code === 'reauthentication_not_valid'
    ? 'That code is wrong or has expired. Enter the one from the newest message, or have it sent again.'
    : message

/** "…only request this after 42 seconds." */
const secondsIn = (message: string) => Number(/(\d+) seconds?/.exec(message)?.[1] ?? 0)

function useCountdown(seconds: number): [left: number, wait: (seconds: number) => void] {
  const [until, setUntil] = useState(() => Date.now() + seconds * 1000)
  const [now, setNow] = useState(Date.now)
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  const waits = left > 0
  useEffect(() => {
    if (!waits) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [waits])
  const wait = (next: number) => {
    setNow(Date.now())
    setUntil(Date.now() + next * 1000)
  }
  return [left, wait]
}
