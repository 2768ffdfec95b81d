import type { App } from '@operon/contracts/integrations/apps'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { PasswordField, SelectField, TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'

const optionNames: Record<string, string> = { vapi: 'Vapi', retell: 'Retell' }

/** For an app that takes a key. It is tried before it is kept. */
export function KeyDialog({ app, onClose, onDone }: { app: App; onClose: () => void; onDone: () => void }) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = Object.fromEntries([...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()]))
    setBusy(true)
    setProblem(undefined)
    try {
      await call('connect-app', { app: app.id, ...fields })
      onDone()
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={`Connect ${app.name}`}
      description="The key is tried with one call, then kept encrypted. Nobody can read it here again."
    >
      <form onSubmit={save} className="flex flex-col gap-4" autoComplete="off">
        {problem ? <Alert title={`${app.name} was not connected`}>{problem}</Alert> : null}
        {app.key?.map(({ name, label, hint, secret, options }, index) => {
          const first = index === 0 ? { 'data-first': '' } : {}
          if (options)
            return (
              <SelectField key={name} name={name} label={label} hint={hint} required {...first}>
                {options.map((option) => (
                  <option key={option} value={option}>
                    {optionNames[option] ?? option}
                  </option>
                ))}
              </SelectField>
            )
          return secret ? (
            <PasswordField key={name} name={name} label={label} hint={hint} required maxLength={400} autoComplete="off" {...first} />
          ) : (
            <TextField key={name} name={name} label={label} hint={hint} required maxLength={200} autoComplete="off" {...first} />
          )
        })}
        <Button type="submit" variant="primary" busy={busy ? 'Trying the key' : false}>
          Connect
        </Button>
      </form>
    </Dialog>
  )
}
