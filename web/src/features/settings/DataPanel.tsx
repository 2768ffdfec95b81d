import { texts } from '@operon/contracts/messages'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { clearLocalStorage } from '../../api/keys.ts'
import { expectOwnEnd } from '../../api/live.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { Exports } from './Exports.tsx'

export function DataPanel() {
  const { user } = useSession()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)

  async function remove() {
    setBusy(true)
    try {
      setDeleting(false)
      expectOwnEnd()
      await confirmed(() => call('account-delete'))
      const { letGo } = await loadBackend()
      await letGo('own')
      clearLocalStorage()
      navigate(paths.goodbye, { state: { deletedAt: Date.now() } })
    } catch (error) {
      expectOwnEnd(false)
      toast.error('The account was not deleted', error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <Exports />
      <Panel title="Delete account">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="max-w-[52ch] text-13 text-muted">
            Signs you out everywhere, ends the subscription and erases your data within 30 days. Invoices stay as long as the law asks,
            without your name.
          </p>
          <Button variant="danger" busy={busy} onClick={() => setDeleting(true)}>
            Delete account
          </Button>
        </div>
      </Panel>
      <Dialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title="Delete this account?"
        description="This cannot be undone."
        footer={
          <>
            <Button onClick={() => setDeleting(false)}>Keep the account</Button>
            <Button variant="danger" disabled={typed.trim().toLowerCase() !== (user?.email ?? '').toLowerCase()} onClick={remove}>
              Delete account
            </Button>
          </>
        }
      >
        <TextField
          label={`Type ${user?.email} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          data-first
        />
      </Dialog>
    </>
  )
}
