import type { CallReply } from '@operon/contracts/calls'
import type { App } from '@operon/contracts/integrations/apps'
import { triggerOf } from '@operon/contracts/integrations/triggers'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Options, SelectField, TextField } from '../../ui/Field.tsx'
import { ago } from '../../ui/format.ts'
import { Alert, Asked } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

type Listed = CallReply<'list-app-triggers'>
type Watch = Listed['watches'][number]
type Account = { id: string; account: string; state: string }
type Values = Record<string, string>

/** Triggers of the app, and those that are watched. */
export function Watches({ app, accounts }: { app: App; accounts: Account[] }) {
  const queries = useQueryClient()
  const key = ['list-app-triggers', app.id]
  const listed = useCall('list-app-triggers', { app: app.id }, { key })
  const reload = () => queries.invalidateQueries({ queryKey: key })
  const watches = listed.data?.watches ?? []

  async function stop({ trigger, title, input, connection_id, id }: Watch) {
    const done = await attempt('It is still watched', () => call('unwatch-app', { watch_id: id }, { idempotencyKey: crypto.randomUUID() }))
    if (!done) return
    await reload()
    toast.undo(`“${title}” is not watched any more`, () =>
      attempt('It is not watched', async () => {
        await call('watch-app', { app: app.id, trigger, input, connection_id }, { idempotencyKey: crypto.randomUUID() })
        await reload()
      }),
    )
  }

  return (
    <section>
      <h3 className="mb-2 font-semibold">What it can tell you</h3>
      <Asked query={listed} skeleton="h-16" failed="This list could not be loaded" />
      <ul className="divide-y divide-line rounded-panel hairline">
        {listed.data?.triggers.map((trigger) => (
          <li key={trigger.name} className="flex flex-col gap-3 p-3">
            <Offer app={app} trigger={trigger} accounts={accounts.filter(({ state }) => state !== 'broken')} onWatched={reload} />
            {watches
              .filter((watch) => watch.trigger === trigger.name)
              .map((watch) => (
                <Watched key={watch.id} watch={watch} onStop={() => stop(watch)} />
              ))}
          </li>
        ))}
      </ul>
      <p className="mt-2 text-12 text-faint">Your webhooks get each watched event as “integrations.app_told”.</p>
    </section>
  )
}

function Watched({ watch, onStop }: { watch: Watch; onStop: () => void }) {
  const { account, title, input, waits, failure, told_at, looked_at, missed_at } = watch
  const of = Object.values(input).map(String).join(', ')
  return (
    <div className="rounded-control bg-raised p-2 text-12">
      <p className="flex items-baseline justify-between gap-2">
        <span className="min-w-0 break-words">
          {account}
          {of ? ` · ${of}` : ''}
        </span>
        <Button variant="ghost" onClick={onStop} aria-label={`Stop watching “${title}” of ${account}`}>
          Stop
        </Button>
      </p>
      <p className="text-faint">
        {waits ? 'Waits until the account is connected again' : looked_at ? `Looked ${ago(looked_at)}` : 'Not looked at yet'}
        {told_at ? ` · told ${ago(told_at)}` : ' · nothing told yet'}
      </p>
      {missed_at ? <p className="text-warn">{`More than a hundred came at once ${ago(missed_at)}. The rest was not told.`}</p> : null}
      {failure ? (
        <Alert className="mt-2" tone="warn">
          {failure}
        </Alert>
      ) : null}
    </div>
  )
}

type OfferProps = { app: App; trigger: Listed['triggers'][number]; accounts: Account[]; onWatched: () => unknown }
function Offer({ app, trigger, accounts, onWatched }: OfferProps) {
  const { name, title, description, input } = trigger
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [values, setValues] = useState<Values>({})
  const fields = Object.entries((input.properties ?? {}) as Record<string, { description?: string }>)
  const connection = values.connection_id ?? accounts[0]?.id

  async function watch(event?: FormEvent) {
    event?.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      const { connection_id: _, ...asked } = values
      await call(
        'watch-app',
        { app: app.id, trigger: name, input: asked, connection_id: connection },
        { idempotencyKey: crypto.randomUUID() },
      )
      toast.success(`“${title}” is watched`)
      setOpen(false)
      setValues({})
      await onWatched()
    } catch (error) {
      setProblem((error as Error).message)
    }
    setBusy(false)
  }
  const needsMore = fields.length > 0 || accounts.length > 1
  const begin = () => (needsMore ? setOpen(true) : void watch())

  return (
    <>
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <p>{title}</p>
          <p className="text-12 text-faint">{description}</p>
        </div>
        {accounts.length && !open ? (
          <Button onClick={begin} busy={busy ? 'Looking' : false} aria-label={`Watch “${title}”`}>
            Watch
          </Button>
        ) : null}
      </div>
      {problem ? <Alert title="It is not watched">{problem}</Alert> : null}
      {open ? (
        <form onSubmit={watch} className="flex flex-col gap-3">
          {accounts.length > 1 ? (
            <SelectField label="Account" value={connection} onChange={({ target }) => setValues({ connection_id: target.value })}>
              <Options of={accounts.map(({ id, account }) => [id, account])} />
            </SelectField>
          ) : null}
          {fields.map(([field, { description: label = field }]) => (
            <Choice
              key={field}
              app={app}
              trigger={name}
              field={field}
              label={label}
              connection={connection}
              values={values}
              onChange={(value) => setValues({ ...values, [field]: value })}
            />
          ))}
          <p className="flex gap-2">
            <Button type="submit" variant="primary" busy={busy ? 'Looking' : false}>
              Watch
            </Button>
            <Button variant="ghost" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </p>
        </form>
      ) : null}
    </>
  )
}

type ChoiceProps = {
  app: App
  trigger: string
  field: string
  label: string
  connection: string | undefined
  values: Values
  onChange: (value: string) => void
}
/** Chosen from what the account has, where the app lists it. */
function Choice({ app, trigger, field, label, connection, values, onChange }: ChoiceProps) {
  const [action, needs] = triggerOf(app.id, trigger)?.pick?.[field] ?? []
  const input = needs ? { [needs]: values[needs] } : {}
  const isReady = Boolean(action && (!needs || values[needs]))
  const rows = useCall(
    'read-from-app',
    { app: app.id, action: action ?? '', input, connection_id: connection },
    { key: ['read-from-app', connection, action, input], enabled: isReady },
  )
  if (!action || rows.isError)
    return <TextField label={label} value={values[field] ?? ''} onChange={({ target }) => onChange(target.value)} required />
  return (
    <SelectField
      label={label.replace(/,? as .*/, '')}
      value={values[field] ?? ''}
      disabled={!rows.data}
      onChange={({ target }) => onChange(target.value)}
      required
    >
      <option value="">{isReady && rows.isPending ? 'Loading' : 'Choose'}</option>
      <Options of={rows.data?.rows.map(({ id, title }) => [id, title])} />
    </SelectField>
  )
}
