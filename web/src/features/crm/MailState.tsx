import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import type { Mailbox, useContactMail } from './contactMail.ts'

/** How the mailboxes answered, where there is something to say. The rest of the timeline waits for none of it. */
export function MailState({ query, mails, mailboxes }: ReturnType<typeof useContactMail>) {
  const again = (
    <Button variant="ghost" busy={query.isFetching} onClick={() => query.refetch()}>
      Try again
    </Button>
  )
  if (!query.isEnabled) return null
  if (query.isPending) return <Line>Looking for emails with this contact</Line>
  if (!query.data) return <Line action={again}>Emails could not be loaded. {query.error?.message}</Line>
  const on = mailboxes.filter(({ state }) => state !== 'off')
  if (mailboxes.length && !on.length)
    return (
      <Line action={<Settings of={mailboxes[0]!}>Choose mailboxes</Settings>}>
        Emails with this contact can be shown here. Turn it on for each mailbox.
      </Line>
    )
  const read = on.filter(({ state }) => state === 'read').map(({ account }) => account)
  return (
    <>
      {on.map((mailbox) => (
        <OneState key={mailbox.connection_id} mailbox={mailbox} again={again} />
      ))}
      {query.isFetchNextPageError ? <Line action={again}>Older emails could not be loaded. {query.error?.message}</Line> : null}
      {read.length && !mails.length && !query.hasNextPage ? <Line>No emails with this contact in {read.join(' or ')}</Line> : null}
    </>
  )
}

function OneState({ mailbox, again }: { mailbox: Mailbox; again: ReactNode }) {
  const { account, state, failure } = mailbox
  const reconnect = <Settings of={mailbox}>Reconnect</Settings>
  if (state === 'broken') return <Line action={reconnect}>Reconnect {account} to see its emails</Line>
  if (state === 'no_access') return <Line action={reconnect}>{account} was connected without permission to read email</Line>
  if (state !== 'failed') return null
  return (
    <Line action={again}>
      Emails of {account} could not be read. {failure}
    </Line>
  )
}

const Settings = ({ of, children }: { of: Mailbox; children: ReactNode }) => (
  <ButtonLink variant="ghost" to={`${paths.apps}?app=${of.app}`}>
    {children}
  </ButtonLink>
)

const Line = ({ children, action }: { children: ReactNode; action?: ReactNode }) => (
  <div
    role="status"
    className="flex flex-wrap items-center justify-between gap-x-3 rounded-control bg-raised px-3 py-1.5 text-13 text-muted"
  >
    <p className="min-w-0 break-words">{children}</p>
    {action}
  </div>
)
