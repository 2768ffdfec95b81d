import { type FormEvent, useState } from 'react'
import { call, useCall } from '../../../api/call.ts'
import { useSession } from '../../../api/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Checkbox, Options, PasswordField, SelectField, TextField } from '../../../ui/Field.tsx'
import { Alert } from '../../../ui/Panel.tsx'
import { toast } from '../../../ui/toast.tsx'
import { newKey, type Sender, useEmailStatus, useRefresh } from '../queries.ts'

type Provider = Sender['provider']
export const providerNames: Record<Provider, string> = { mailersend: 'MailerSend', smtp: 'A mail server (SMTP)', sandbox: 'The sandbox' }

/** A sender of emails. A mail server is tried before it is kept. */
export function SenderDialog({ of, provider: first, onClose }: { of: Sender | null; provider?: Provider; onClose: () => void }) {
  const { user } = useSession()
  const status = useEmailStatus().data
  const refresh = useRefresh()
  const [provider, setProvider] = useState<Provider>(of?.provider ?? first ?? (status?.mailersend.connected ? 'mailersend' : 'smtp'))
  const [secure, setSecure] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const domains = useCall(
    'read-from-app',
    { app: 'mailersend', action: 'list-domains', input: {} },
    { key: ['email', user?.id, 'domains'], enabled: provider === 'mailersend' && Boolean(status?.mailersend.connected) },
  )
  const verified = domains.data?.rows.filter(({ detail }) => detail === 'Verified').map(({ title }) => title) ?? []
  const providers = (Object.keys(providerNames) as Provider[]).filter((each) => each !== 'sandbox' || status?.sandbox)

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const said = (name: string) => String(data.get(name) ?? '').trim()
    setBusy(true)
    setProblem(undefined)
    try {
      await call(
        'save-sender',
        {
          ...(of && { sender_id: of.sender_id }),
          provider,
          name: said('name'),
          email: said('email'),
          reply_to: said('reply_to') || null,
          make_default: data.has('default'),
          ...(provider === 'smtp' &&
            (!of || said('host')) && {
              smtp: { host: said('host'), port: Number(said('port')), secure, user: said('user'), password: said('password') },
            }),
          ...(said('webhook_secret') && { webhook_secret: said('webhook_secret') }),
        },
        newKey(),
      )
      await refresh()
      toast.success(of ? 'Sender saved' : 'You can send now', of ? undefined : `Campaigns come from ${said('email')}.`)
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <Dialog open onClose={onClose} title={of ? 'Change the sender' : 'Add a sender'}>
      <form onSubmit={save} className="flex flex-col gap-4">
        {problem ? <Alert title="The sender was not saved">{problem}</Alert> : null}
        {of ? null : (
          <SelectField label="Sent by" value={provider} onChange={(event) => setProvider(event.target.value as Provider)}>
            <Options of={providers.map((each) => [each, providerNames[each]])} />
          </SelectField>
        )}
        <TextField
          label="Name"
          name="name"
          required
          maxLength={80}
          defaultValue={of?.name ?? ''}
          placeholder="Harbour Café"
          data-first=""
        />
        <TextField
          label="Email address"
          name="email"
          type="email"
          required
          maxLength={254}
          defaultValue={of?.email ?? ''}
          placeholder={`news@${verified[0] ?? 'example.com'}`}
          hint={hintOf(provider, verified, Boolean(status?.mailersend.connected))}
        />
        <TextField
          label="Replies go to (optional)"
          name="reply_to"
          type="email"
          maxLength={254}
          defaultValue={of?.reply_to ?? ''}
          hint="Leave empty to use the address above."
        />
        {provider === 'smtp' ? <Server changing={Boolean(of)} secure={secure} onSecure={setSecure} /> : null}
        {provider === 'mailersend' && of ? (
          <PasswordField
            label="Signing secret of the webhook"
            name="webhook_secret"
            maxLength={200}
            autoComplete="off"
            hint={
              of.webhook_set
                ? 'Set. Fill it in to replace it.'
                : 'MailerSend shows it next to the webhook. Bounces and complaints arrive through it.'
            }
          />
        ) : null}
        {of?.is_default ? null : (
          <Checkbox name="default" defaultChecked={!status?.senders.length}>
            Send campaigns from this address by default
          </Checkbox>
        )}
        <Button type="submit" variant="primary" busy={busy ? 'Trying it' : false} className="self-end">
          {of ? 'Save' : 'Add sender'}
        </Button>
      </form>
    </Dialog>
  )
}

function hintOf(provider: Provider, verified: string[], connected: boolean): string | undefined {
  if (provider === 'sandbox') return 'Any address. Emails stay in the sandbox inbox and reach nobody.'
  if (provider === 'smtp') return 'An address this server is allowed to send from.'
  if (!connected) return 'Connect MailerSend first.'
  return verified.length
    ? `Must be on a domain verified at MailerSend: ${verified.slice(0, 3).join(', ')}.`
    : 'Verify a domain at MailerSend first.'
}

function Server({ changing, secure, onSecure }: { changing: boolean; secure: boolean; onSecure: (secure: boolean) => void }) {
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-1 text-13 font-medium">Mail server</legend>
      {changing ? <p className="text-12 text-faint">Leave the name empty to keep the server as it is.</p> : null}
      <div className="grid grid-cols-[minmax(0,1fr)_6rem] gap-3">
        <TextField label="Server" name="host" required={!changing} maxLength={253} placeholder="smtp.example.com" autoCapitalize="none" />
        <TextField label="Port" name="port" type="number" min={1} max={65535} defaultValue={587} />
      </div>
      <TextField label="User" name="user" maxLength={200} autoComplete="off" />
      <PasswordField label="Password" name="password" maxLength={400} autoComplete="new-password" />
      <Checkbox checked={secure} onChange={(event) => onSecure(event.target.checked)}>
        Use TLS from the start (port 465)
      </Checkbox>
    </fieldset>
  )
}
