import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { Switch } from '../../ui/Field.tsx'
import { attempt } from '../../ui/toast.tsx'

type Connection = CallReply<'list-connections'>['connections'][number]

/** Whether the emails of a mailbox are shown with contacts, with what that reads, when, and what stays of it. */
export function TimelineMail({ connection, connectAgain }: { connection: Connection; connectAgain: ReactNode }) {
  const queries = useQueryClient()
  const { id, account, mailbox } = connection
  if (!mailbox) return null
  const change = (on_timelines: boolean) =>
    attempt('The setting was not changed', async () => {
      await call('update-mailbox', { connection_id: id, on_timelines }, { idempotencyKey: crypto.randomUUID() })
      queries.removeQueries({ queryKey: ['contact-mail'] })
      await queries.invalidateQueries({ queryKey: ['list-connections'] })
    })
  const title = 'Show email with contacts on their timelines'
  return (
    <div className="mt-3 flex items-start gap-3 border-t border-line pt-3">
      <Switch
        label={`${title}: ${account}`}
        checked={mailbox.on_timelines}
        onChange={change}
        disabled={!mailbox.readable && !mailbox.on_timelines}
      />
      <div className="flex min-w-0 flex-col items-start gap-1">
        <p>{title}</p>
        <p className="text-12 text-muted">
          When you open a contact, we ask this mailbox for the latest emails with that contact’s addresses and show sender, recipients,
          subject, date and first words. We do not save them. If the assistant or one of your API keys asks for them, they stay in that
          answer.
        </p>
        {mailbox.readable ? null : (
          <>
            <p className="text-12 text-bad">This account was connected without permission to read email. Connect it again and allow it.</p>
            {connectAgain}
          </>
        )}
      </div>
    </div>
  )
}
