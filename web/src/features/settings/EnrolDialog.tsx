import { type FormEvent, useEffect, useState } from 'react'
import { loadBackend } from '../../api/session.ts'
import { confirmed, wordsOf } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyField } from '../../ui/Data.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Alert, Skeleton } from '../../ui/Panel.tsx'

type Enrolment = { id: string; qr: string; secret: string }

/** Scan, type the first code, done. A dialog closed half-way takes the unfinished factor with it. */
export function EnrolDialog({ open, onClose, onEnrolled }: { open: boolean; onClose: () => void; onEnrolled: () => Promise<void> }) {
  const [enrolment, setEnrolment] = useState<Enrolment>()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    if (!open) return
    let gone = false
    setProblem(undefined)
    setEnrolment(undefined)
    enrol().then(
      (made) => (gone ? void abandon(made.id) : setEnrolment(made)),
      (error) => gone || setProblem(error.message),
    )
    return () => {
      gone = true
    }
  }, [open])

  async function close() {
    onClose()
    if (enrolment) await abandon(enrolment.id)
  }

  async function verify(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code')).trim()
    setBusy(true)
    setProblem(undefined)
    const { auth } = await loadBackend()
    const { error } = await auth.mfa.challengeAndVerify({ factorId: enrolment!.id, code })
    setBusy(false)
    if (error) return setProblem(wordsOf(error))
    // The closing dialog must not take the finished factor with it.
    setEnrolment(undefined)
    await onEnrolled()
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title="Add an authenticator"
      description="Scan the code with an authenticator app, then type the six digits it shows."
    >
      {problem ? (
        <Alert title="That did not work" className="mb-4">
          {problem}
        </Alert>
      ) : null}
      {enrolment ? (
        <form onSubmit={verify} className="flex flex-col gap-4">
          <img src={enrolment.qr} alt="QR code for the authenticator app" className="size-44 self-center rounded-control bg-white p-2" />
          <CopyField label="Setup key" value={enrolment.secret} />
          <TextField
            label="Six-digit code"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            className="font-mono tracking-[0.2em]"
          />
          <Button type="submit" variant="primary" busy={busy ? 'Checking' : false}>
            Turn it on
          </Button>
        </form>
      ) : problem ? null : (
        <Skeleton className="mx-auto size-44" />
      )}
    </Dialog>
  )
}

async function enrol(): Promise<Enrolment> {
  const { auth } = await loadBackend()
  return confirmed(async () => {
    const { data, error } = await auth.mfa.enroll({
      factorType: 'totp',
      // To the second: a name is given once an account, and a dialog may be opened twice in a minute.
      friendlyName: `Authenticator ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`,
    })
    if (error) throw error
    return { id: data.id, qr: asImage(data.totp.qr_code), secret: data.totp.secret }
  })
}

/** The auth client puts the SVG into the address as it is; its `#` would end the address there. */
function asImage(qr: string) {
  const svg = qr.replace(/^data:image\/svg\+xml;utf-8,/, '')
  return svg.startsWith('data:') ? svg : `data:image/svg+xml,${encodeURIComponent(svg)}`
}

async function abandon(factorId: string) {
  const { auth } = await loadBackend()
  await auth.mfa.unenroll({ factorId })
}
