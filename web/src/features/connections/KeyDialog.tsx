import type { App } from '@operon/contracts/integrations/apps'
import { call } from '../../api/call.ts'
import { Options, PasswordField, SelectField, TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'

const optionNames: Record<string, string> = { vapi: 'Vapi', retell: 'Retell' }

/** For an app that takes a key. It is tried before it is kept. */
export function KeyDialog({ app, onClose, onDone }: { app: App; onClose: () => void; onDone: () => void }) {
  async function save(_typed: unknown, data: FormData) {
    const fields = Object.fromEntries([...data].map(([name, value]) => [name, String(value).trim()]))
    await call('connect-app', { app: app.id, ...fields })
    onDone()
    return false
  }
  return (
    <FormDialog
      onClose={onClose}
      title={`Connect ${app.name}`}
      description="The key is tried with one call, then kept encrypted. Nobody can read it here again."
      submit="Connect"
      failed={`${app.name} was not connected`}
      save={save}
    >
      {app.key?.map(({ name, label, hint, secret, options }, index) => {
        const first = index === 0 ? { 'data-first': '' } : {}
        if (options)
          return (
            <SelectField key={name} name={name} label={label} hint={hint} required {...first}>
              <Options of={options.map((option) => [option, optionNames[option] ?? option])} />
            </SelectField>
          )
        return secret ? (
          <PasswordField key={name} name={name} label={label} hint={hint} required maxLength={400} autoComplete="off" {...first} />
        ) : (
          <TextField key={name} name={name} label={label} hint={hint} required maxLength={200} autoComplete="off" {...first} />
        )
      })}
    </FormDialog>
  )
}
