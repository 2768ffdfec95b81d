import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Alert } from '../../../ui/Panel.tsx'
import { useEmailStatus } from '../queries.ts'
import { ConnectButton } from './ConnectButton.tsx'
import { SenderDialog } from './SenderDialog.tsx'

/** Until something can carry emails: what is missing, and how to get it. */
export function ConnectLine() {
  const status = useEmailStatus().data
  const [adding, setAdding] = useState<'smtp' | 'sandbox' | null>(null)
  if (!status) return null
  const { ready, mailersend, sandbox } = status
  return (
    <>
      {ready && !mailersend.failure ? null : (
        <Alert tone={ready ? 'warn' : 'info'} title={ready ? 'MailerSend has a problem' : 'Connect a provider to send'}>
          <p>
            {ready
              ? `${mailersend.failure} Campaigns may wait until it works again.`
              : 'You can write campaigns before that. MailerSend sends from your own domain, or you can use your own mail server.'}
          </p>
          <span className="mt-2 flex flex-wrap gap-2">
            <ConnectButton />
            {ready ? null : (
              <Button variant="ghost" onClick={() => setAdding('smtp')}>
                Use a mail server
              </Button>
            )}
            {!ready && sandbox ? (
              <Button variant="ghost" onClick={() => setAdding('sandbox')}>
                Use the sandbox
              </Button>
            ) : null}
          </span>
        </Alert>
      )}
      {adding ? <SenderDialog of={null} provider={adding} onClose={() => setAdding(null)} /> : null}
    </>
  )
}
