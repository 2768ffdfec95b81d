import { appOf } from '@operon/contracts/integrations/apps'
import { texts } from '@operon/contracts/messages'
import { type FormEvent, useEffect, useState } from 'react'
import { call } from '../../../api/call.ts'
import { usePlatform } from '../../../api/platform.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { PasswordField } from '../../../ui/Field.tsx'
import { Alert } from '../../../ui/Panel.tsx'
import { toast } from '../../../ui/toast.tsx'
import { useRefresh } from '../queries.ts'

/** Where MailerSend hands out tokens; its stand-in has the page at the same address below its own. */
const TOKENS = 'app.mailersend.com/api-tokens'
const PATIENCE_MS = 10_000

/** Opens MailerSend in a window of its own. It has no sign-in for other programs, so ten seconds later the token is asked for here. */
export function ConnectButton({ onDone, again, main }: { onDone?: () => void; again?: boolean; main?: boolean }) {
  const { sandboxed } = usePlatform()
  const refresh = useRefresh()
  const [state, setState] = useState<'idle' | 'waiting' | 'asked'>('idle')
  useEffect(() => {
    if (state !== 'waiting') return
    const timer = setTimeout(() => setState('asked'), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [state])
  function connect() {
    const address = sandboxed.includes('apps') ? `/sandbox/apps/${TOKENS}` : `https://${TOKENS}`
    if (window.open(address, 'mailersend', 'width=720,height=760')) setState('waiting')
    else toast.error(texts.allowPopups)
  }
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        <Button variant={main ? 'primary' : 'secondary'} busy={state === 'waiting' ? 'Waiting for you' : false} onClick={connect}>
          {again ? 'Connect another account' : 'Connect MailerSend'}
        </Button>
        <Button variant="ghost" onClick={() => setState('asked')}>
          Enter an API token
        </Button>
      </span>
      {state === 'asked' ? (
        <TokenDialog
          onClose={() => setState('idle')}
          onDone={async () => {
            setState('idle')
            toast.success('MailerSend is connected')
            await refresh()
            onDone?.()
          }}
        />
      ) : null}
    </>
  )
}

function TokenDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const field = appOf('mailersend')?.key?.[0]
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget).get('key')).trim()
    setBusy(true)
    setProblem(undefined)
    try {
      await call('connect-app', { app: 'mailersend', key })
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
      title="Enter your MailerSend API token"
      description="We test it with one call, then store it encrypted. It is never shown again."
    >
      <form onSubmit={save} className="flex flex-col gap-4" autoComplete="off">
        {problem ? <Alert title={texts.mailerSendFailed}>{problem}</Alert> : null}
        <PasswordField
          name="key"
          label={field?.label ?? 'API token'}
          hint={field?.hint}
          required
          maxLength={400}
          autoComplete="off"
          data-first=""
        />
        <Button type="submit" variant="primary" busy={busy ? 'Trying the token' : false}>
          Connect
        </Button>
      </form>
    </Dialog>
  )
}
