import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { GeneMeter } from '../../../ui/Data.tsx'
import { EmptyState, ErrorState, Panel, Pill, Skeleton } from '../../../ui/Panel.tsx'
import { type EmailStatus, type Sender, useEmailStatus } from '../queries.ts'
import { ConnectButton } from './ConnectButton.tsx'
import { SenderDialog } from './SenderDialog.tsx'
import { SenderRow } from './SenderRow.tsx'

/** Connections that carry emails, senders, and what the plan has left. */
export function Sending() {
  const status = useEmailStatus()
  const [open, setOpen] = useState<Sender | 'new' | null>(null)
  if (status.isPending) return <Skeleton className="mt-4 h-64" />
  if (!status.data) return <ErrorState title="Your senders could not be loaded" error={status.error} retry={() => status.refetch()} />
  const { senders } = status.data
  return (
    <div className="grid grid-cols-1 items-start gap-6 pt-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Panel
        flush
        title="Senders"
        actions={
          <Button onClick={() => setOpen('new')}>
            <Plus />
            Add a sender
          </Button>
        }
      >
        {senders.length ? (
          <ul aria-label="Senders" className="divide-y divide-line">
            {senders.map((sender) => (
              <SenderRow key={sender.sender_id} sender={sender} onEdit={() => setOpen(sender)} />
            ))}
          </ul>
        ) : (
          <EmptyState compact title="No sender yet">
            A sender is the name and address that recipients see. Its domain needs three records, which are listed here and checked.
          </EmptyState>
        )}
      </Panel>
      <div className="flex flex-col gap-6">
        <MailerSend of={status.data} />
        <Panel title="This month">
          <GeneMeter label="Emails" used={status.data.emails.used + status.data.emails.reserved} limit={status.data.emails.limit} />
        </Panel>
      </div>
      {open ? <SenderDialog of={open === 'new' ? null : open} onClose={() => setOpen(null)} /> : null}
    </div>
  )
}

function MailerSend({ of: { mailersend } }: { of: EmailStatus }) {
  return (
    <Panel
      title="MailerSend"
      badge={
        mailersend.connected ? (
          <Pill tone={mailersend.failure ? 'warn' : 'good'}>{mailersend.failure ? 'Last call failed' : 'Connected'}</Pill>
        ) : null
      }
    >
      <p className="mb-3 text-13 text-muted">
        {mailersend.connected
          ? `Connected as ${mailersend.account}.${mailersend.failure ? ` ${mailersend.failure}` : ''}`
          : 'Sends from your own domain and reports bounces.'}
      </p>
      <ConnectButton again={mailersend.connected} />
      {mailersend.connected ? (
        <p className="mt-3 text-13">
          <Link to={`${paths.apps}?app=mailersend`} className="text-muted underline decoration-control underline-offset-4 hover:text-text">
            Test or disconnect it in the App Library
          </Link>
        </p>
      ) : null}
    </Panel>
  )
}
