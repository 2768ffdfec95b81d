import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextArea, TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'

/** Asks for an app that is not here; `name` is what was searched for. */
export function RequestApp({ name = '' }: { name?: string }) {
  const [open, setOpen] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = Object.fromEntries([...new FormData(event.currentTarget)].map(([key, value]) => [key, String(value).trim()]))
    setBusy(true)
    setProblem(undefined)
    try {
      await call('request-app', fields as { name: string; wanted: string })
      setOpen(false)
      toast.success(`You asked for ${fields.name}`, 'Those who run this site see how many people want it.')
    } catch (error) {
      setProblem((error as Error).message)
    }
    setBusy(false)
  }

  return (
    <>
      <Button onClick={() => setOpen(true)}>Request an app</Button>
      {open ? (
        <Dialog
          open
          onClose={() => setOpen(false)}
          title="Request an app"
          description="Those who run this site see which apps are wanted most."
        >
          <form onSubmit={send} className="flex flex-col gap-4">
            {problem ? <Alert title="It was not requested">{problem}</Alert> : null}
            <TextField name="name" label="App" defaultValue={name.slice(0, 60)} required minLength={2} maxLength={60} data-first="" />
            <TextArea name="wanted" label="What you would do with it" maxLength={500} rows={3} hint="May stay empty" />
            <Button type="submit" variant="primary" busy={busy ? 'Sending' : false}>
              Request
            </Button>
          </form>
        </Dialog>
      ) : null}
    </>
  )
}
