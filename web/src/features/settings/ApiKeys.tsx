import type { CallArgs } from '@operon/contracts/calls'
import type { Reply, Row } from '@operon/contracts/contract'
import type { aiKeyCreate, aiKeys } from '@operon/contracts/identity/keys'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyField } from '../../ui/Data.tsx'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { Checkbox, TextField } from '../../ui/Field.tsx'
import { day, moment } from '../../ui/format.ts'
import { Markdown } from '../../ui/Markdown.tsx'
import { Alert, Asked, EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

type Key = Row<typeof aiKeys>
type Made = Reply<typeof aiKeyCreate>

/** Keys for the person's own programs: models at /ai/v1, capabilities at /functions/v1, assistants at /mcp. */
export function ApiKeys() {
  const { user } = useSession()
  const queries = useQueryClient()
  const queryKey = ['ai-keys', user?.id]
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<Made | null>(null)
  const [revoking, setRevoking] = useState<Key | null>(null)
  const keys = useQuery({
    queryKey,
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<Key[]>(rest.from('ai_keys').select().order('created_at', { ascending: false }))
    },
  })

  async function revoke(key: Key) {
    await attempt('The key was not revoked', async () => {
      await call('ai-key-revoke', { key_id: key.id })
      await queries.invalidateQueries({ queryKey })
      toast.success(`${key.name} is revoked`)
    })
  }

  return (
    <Panel
      title="API keys"
      flush
      actions={
        <Button onClick={() => setMaking(true)}>
          <Plus />
          New key
        </Button>
      }
    >
      <div className="border-b border-line p-4 text-13 text-muted">
        <p className="mb-2">
          Point any OpenAI client at this address, or call a capability with{' '}
          <code className="font-mono">{'Authorization: Bearer <key>'}</code>. Answers count toward your plan.
        </p>
        <CopyField label="Base address" value={`${location.origin}/ai/v1`} />
        <details className="mt-3">
          <summary className="min-h-6 cursor-pointer text-13 text-text">Show an example</summary>
          <Markdown className="mt-2">{example}</Markdown>
        </details>
      </div>
      <Asked query={keys} skeleton="m-4 h-16" failed="Your keys could not be loaded" />
      {keys.data?.length === 0 ? (
        <EmptyState compact title="No keys yet">
          Make one key for each program, so you can limit or revoke each on its own.
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {keys.data?.map((key) => (
          <li key={key.id} className="flex items-center gap-3 px-4 py-3 text-13">
            <span className="min-w-0 flex-1">
              <span className="flex flex-wrap items-center gap-2 font-medium">
                {key.name}
                <span className="font-mono text-12 text-faint">{key.prefix}…</span>
                {stateOf(key)}
              </span>
              <span className="block text-12 text-faint">
                {spokenScopes(key.scopes)}
                {key.monthly_prompts
                  ? ` · ${key.monthly_prompts.toLocaleString('en-US')} prompts a month`
                  : ' · no prompt limit of its own'}
                {key.last_used_at ? ` · last used ${moment(key.last_used_at)}` : ' · never used'}
                {key.expires_at ? ` · expires ${day(key.expires_at)}` : ''}
              </span>
            </span>
            {key.revoked_at ? null : (
              <Button variant="ghost" aria-label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      <NewKey
        open={making}
        onClose={() => setMaking(false)}
        onMade={(key) => {
          setMaking(false)
          setMade(key)
          void queries.invalidateQueries({ queryKey })
        }}
      />
      <Dialog
        open={made !== null}
        onClose={() => setMade(null)}
        title="Your new key"
        description="It is shown only once. Save it where your program keeps its secrets."
        footer={
          <Button variant="primary" onClick={() => setMade(null)}>
            I have saved it
          </Button>
        }
      >
        {made ? <CopyField label="API key" value={made.key} /> : null}
      </Dialog>
      <Confirm
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke ${revoking?.name ?? 'this key'}?`}
        action="Revoke key"
        danger
        onConfirm={() => revoking && revoke(revoking)}
      >
        Programs that use it stop working at once. This cannot be undone.
      </Confirm>
    </Panel>
  )
}

const scopeWords: Record<string, string> = {
  chat: 'asks models',
  models: 'lists models',
  reads: 'reads your data',
  changes: 'makes changes',
  all: 'reads your data and makes changes',
}
const spokenScopes = (scopes: string[]) => scopes.map((scope) => scopeWords[scope] ?? scope.replace('do:', '')).join(', ')

const example = `\`\`\`sh
curl ${location.origin}/ai/v1/chat/completions \\
  -H "authorization: Bearer $OPERON_KEY" \\
  -H "content-type: application/json" \\
  -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}'

curl ${location.origin}/functions/v1/ai-usage \\
  -H "authorization: Bearer $OPERON_KEY" \\
  -H "content-type: application/json" -d '{}'
\`\`\``

function stateOf(key: Key) {
  if (key.revoked_at) return <Pill tone="bad">Revoked</Pill>
  if (key.expires_at && new Date(key.expires_at) < new Date()) return <Pill tone="warn">Expired</Pill>
  return <Pill tone="good">Active</Pill>
}

function NewKey({ open, onClose, onMade }: { open: boolean; onClose: () => void; onMade: (key: Made) => void }) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const scopes = form.getAll('scope') as CallArgs<'ai-key-create'>['scopes'] & string[]
    if (scopes.length === 0) return setProblem('Choose at least one scope.')
    const limit = Number(form.get('limit'))
    const expires = String(form.get('expires') ?? '')
    setBusy(true)
    setProblem(undefined)
    try {
      onMade(
        await confirmed(() =>
          call('ai-key-create', {
            name: String(form.get('name')).trim(),
            scopes,
            monthly_prompts: limit || null,
            expires_at: expires ? new Date(`${expires}T23:59:59`).toISOString() : null,
          }),
        ),
      )
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog open={open} onClose={onClose} title="New API key">
      <form onSubmit={create} className="flex flex-col gap-4">
        {problem ? <Alert title="The key was not made">{problem}</Alert> : null}
        <TextField label="Name" name="name" required maxLength={80} hint="The program that will use it, such as “Website form”." />
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1.5 text-13 font-medium">Permissions</legend>
          <Checkbox name="scope" value="chat" defaultChecked>
            Chat with models
          </Checkbox>
          <Checkbox name="scope" value="models" defaultChecked>
            List models
          </Checkbox>
          <Checkbox name="scope" value="reads">
            Read your data (usage, payments, activity and so on)
          </Checkbox>
          <Checkbox name="scope" value="changes">
            Make changes. It cannot spend, send or remove anything
          </Checkbox>
          <SingleActions />
        </fieldset>
        <TextField label="Prompts a month" name="limit" type="number" min={1} step={1} hint="Leave empty to use your plan's limit." />
        <TextField label="Expires" name="expires" type="date" hint="Leave empty for a key that never expires." />
        <Button type="submit" variant="primary" busy={busy ? 'Making the key' : false}>
          Create key
        </Button>
      </form>
    </Dialog>
  )
}

/** One action at a time, and the only way that a key may spend, send or remove. */
function SingleActions() {
  const scopes = useCall('ai-key-scopes', {}, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <details>
      <summary className="min-h-6 cursor-pointer text-13">Allow single actions</summary>
      <div className="mt-2 flex max-h-56 flex-col gap-1.5 overflow-y-auto">
        <Asked query={scopes} skeleton="h-10" failed="The actions could not be loaded" />
        {scopes.data?.capabilities.map(({ name, title, effect }) => (
          <Checkbox key={name} name="scope" value={`do:${name}`}>
            {title}
            {warnings[effect] ? <span className="text-faint"> {warnings[effect]}</span> : null}
          </Checkbox>
        ))}
      </div>
    </details>
  )
}
const warnings: Record<string, string> = {
  spends: 'Spends without asking you',
  sends: 'Sends without asking you',
  destroys: 'Removes without asking you',
}
