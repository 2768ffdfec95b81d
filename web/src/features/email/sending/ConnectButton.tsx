import { appOf } from '@operon/contracts/integrations/apps'
import { texts } from '@operon/contracts/messages'
import { useEffect, useState } from 'react'
import { call } from '../../../api/call.ts'
import { usePlatform } from '../../../api/platform.ts'
import { Button } from '../../../ui/Button.tsx'
import { PasswordField } from '../../../ui/Field.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
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
  const field = appOf('mailersend')?.key?.[0]
  async function save(typed: (field: string) => string) {
    await call('connect-app', { app: 'mailersend', key: typed('key') })
    onDone()
    return false
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Enter your MailerSend API token"
      description="We test it with one call, then store it encrypted. It is never shown again."
      submit="Connect"
      failed={texts.mailerSendFailed}
      save={save}
    >
      <PasswordField
        name="key"
        label={field?.label ?? 'API token'}
        hint={field?.hint}
        required
        maxLength={400}
        autoComplete="off"
        data-first=""
      />
    </FormDialog>
  )
}
