import { Mail as MailIcon } from 'lucide-react'
import { moment } from '../../ui/format.ts'
import type { Mail, Mailbox } from './contactMail.ts'
import { longAgo } from './words.ts'

/** An email of a connected mailbox on the timeline. Its subject opens it there. */
export function MailEntry({
  mail: { from, to, subject, snippet, at, url, connection_id },
  mailboxes,
}: {
  mail: Mail
  mailboxes: Mailbox[]
}) {
  const account = mailboxes.find((mailbox) => mailbox.connection_id === connection_id)?.account
  const isOwn = from?.address === account?.toLowerCase()
  const other = isOwn ? to[0] : from
  const title = subject || 'No subject'
  return (
    <li className="flex gap-3 border-t border-line py-2.5 text-13 first:border-t-0">
      <MailIcon aria-label="Email" className="mt-0.5 size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1">
        {url ? (
          <a href={url} target="_blank" rel="noreferrer" className="block break-words font-medium hover:underline">
            {title}
          </a>
        ) : (
          <span className="block break-words font-medium">{title}</span>
        )}
        {snippet ? <span className="line-clamp-2 break-words text-muted">{snippet}</span> : null}
        <span className="block break-words text-12 text-faint">
          {other ? `${isOwn ? 'To' : 'From'} ${other.name ?? other.address} · ` : ''}
          <time dateTime={at} title={moment(at)}>
            {longAgo(at)}
          </time>
          {mailboxes.length > 1 && account ? ` · ${account}` : ''}
        </span>
      </span>
    </li>
  )
}
