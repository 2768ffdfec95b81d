import { deviceName } from '@operon/contracts/words'
import type { PasskeyListItem } from '@supabase/auth-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { addPasskey, listPasskeys } from '../../api/device.ts'
import { knowsDevices } from '../../api/factors.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { day, moment } from '../../ui/format.ts'
import { Alert, Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

/** The devices that sign in by themselves: added, named and removed. */
export function Passkeys() {
  const { user } = useSession()
  const queries = useQueryClient()
  const [adding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<PasskeyListItem>()
  const [removing, setRemoving] = useState<PasskeyListItem>()
  const queryKey = ['passkeys', user?.id]
  const passkeys = useQuery({ queryKey, queryFn: listPasskeys })
  const changed = () => queries.invalidateQueries({ queryKey })

  async function add() {
    setAdding(true)
    await attempt('No passkey was added', async () => {
      await confirmed(() => addPasskey(deviceName(navigator.userAgent)))
      await changed()
      toast.success('Passkey added', 'Use it the next time you sign in.')
    })
    setAdding(false)
  }
  async function remove({ id }: PasskeyListItem) {
    await attempt('The passkey was not removed', async () => {
      const { auth } = await loadBackend()
      await confirmed(async () => {
        const { error } = await auth.passkey.delete({ passkeyId: id })
        if (error) throw error
      })
      await changed()
      toast.success('Passkey removed')
    })
  }

  const kept = passkeys.data ?? []
  return (
    <Panel
      title="Passkeys"
      flush
      actions={
        knowsDevices() ? (
          <Button onClick={add} busy={adding ? 'Waiting for your device' : false}>
            Add a passkey
          </Button>
        ) : null
      }
    >
      <Asked query={passkeys} skeleton="m-4 h-12" failed="Your passkeys could not be loaded" />
      {passkeys.data && !kept.length ? (
        <EmptyState compact title="No passkeys yet">
          {knowsDevices()
            ? 'Sign in with your fingerprint, face or device PIN instead of a password.'
            : 'This browser does not support passkeys. Open this page in another browser to add one.'}
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {kept.map((passkey) => (
          <li key={passkey.id} className="flex flex-wrap items-center gap-x-3 px-4 py-3 text-13">
            <KeyRound className="size-4 text-faint" />
            <span className="min-w-0 flex-1 basis-40">
              <span className="block truncate font-medium">{nameOf(passkey)}</span>
              <span className="block text-12 text-faint">
                Added {day(passkey.created_at)} · {passkey.last_used_at ? `last used ${moment(passkey.last_used_at)}` : 'not used yet'}
              </span>
            </span>
            <span className="ml-auto flex">
              <Button variant="ghost" aria-label={`Rename ${nameOf(passkey)}`} onClick={() => setRenaming(passkey)}>
                Rename
              </Button>
              <Button variant="ghost" aria-label={`Remove ${nameOf(passkey)}`} onClick={() => setRemoving(passkey)}>
                Remove
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <Rename passkey={renaming} onClose={() => setRenaming(undefined)} onRenamed={changed} />
      <Confirm
        open={Boolean(removing)}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing ? nameOf(removing) : ''}?`}
        action="Remove"
        danger
        onConfirm={() => remove(removing!)}
      >
        You can no longer sign in with it. Delete it from your device or password manager as well.
      </Confirm>
    </Panel>
  )
}

const nameOf = ({ friendly_name }: PasskeyListItem) => friendly_name || 'Passkey'

type RenameProps = { passkey: PasskeyListItem | undefined; onClose: () => void; onRenamed: () => Promise<unknown> }

function Rename({ passkey, onClose, onRenamed }: RenameProps) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const friendlyName = String(new FormData(event.currentTarget).get('name')).trim()
    setBusy(true)
    setProblem(undefined)
    const { auth } = await loadBackend()
    const { error } = await auth.passkey.update({ passkeyId: passkey!.id, friendlyName })
    setBusy(false)
    if (error) return setProblem(error.message)
    await onRenamed()
    onClose()
  }
  function close() {
    setProblem(undefined)
    onClose()
  }

  return (
    <Dialog open={Boolean(passkey)} onClose={close} title="Rename this passkey">
      <form onSubmit={save} className="flex flex-col gap-4">
        {problem ? <Alert title="It was not renamed">{problem}</Alert> : null}
        <TextField
          label="Name"
          name="name"
          required
          pattern=".*\S.*"
          maxLength={120}
          defaultValue={passkey ? nameOf(passkey) : ''}
          data-first
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button type="submit" variant="primary" busy={busy ? 'Saving' : false}>
          Save
        </Button>
      </form>
    </Dialog>
  )
}
