import {
  CalendarCheck,
  ClipboardList,
  Mail,
  MessageSquare,
  MousePointerClick,
  NotebookPen,
  Pencil,
  Phone,
  ShoppingBag,
  X,
} from 'lucide-react'
import { call } from '../../api/call.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { moment } from '../../ui/format.ts'
import { attempt } from '../../ui/toast.tsx'
import { timelineOf, useContactMail } from './contactMail.ts'
import { MailEntry } from './MailEntry.tsx'
import { MailState } from './MailState.tsx'
import { MentioningText } from './Mentions.tsx'
import { type ContactDetail, newKey, useOlder } from './queries.ts'
import { longAgo } from './words.ts'

const icons: Record<string, typeof Mail> = {
  sale: ShoppingBag,
  booking: CalendarCheck,
  message: MessageSquare,
  reply: MessageSquare,
  click: MousePointerClick,
  open: Mail,
  email: Mail,
  note: NotebookPen,
  call: Phone,
  form: ClipboardList,
}

export function Timeline({ detail, onChanged }: { detail: ContactDetail; onChanged: () => Promise<unknown> }) {
  const older = useOlder(detail.contact.id, detail.cursor)
  const mail = useContactMail(detail)
  const activities = [...detail.activities, ...(older.data?.pages.flatMap((page) => page.activities) ?? [])]
  const hasMore = older.data ? older.hasNextPage : Boolean(detail.cursor)
  const entries = timelineOf({ entries: activities, hasMore }, { entries: mail.mails, hasMore: mail.query.hasNextPage })
  const remove = (activity_id: string) =>
    attempt('The note was not deleted', async () => {
      await call('delete-note', { activity_id }, { idempotencyKey: newKey() })
      await onChanged()
    })
  return (
    <>
      <MailState {...mail} />
      {entries.length ? null : <p className="text-13 text-muted">Nothing yet. Purchases, bookings, emails and your notes appear here.</p>}
      <ol className="flex flex-col">
        {entries.map((entry) => {
          if ('activity' in entry) return <ActivityEntry key={entry.activity.id} {...entry} onDelete={remove} />
          if ('mail' in entry)
            return <MailEntry key={`${entry.mail.connection_id} ${entry.mail.id}`} mail={entry.mail} mailboxes={mail.mailboxes} />
          return (
            <li key="older emails" className="border-t border-line py-1 first:border-t-0">
              <Button variant="ghost" busy={mail.query.isFetchingNextPage} onClick={() => mail.query.fetchNextPage()}>
                Show older emails
              </Button>
            </li>
          )
        })}
      </ol>
      {hasMore ? (
        <Button
          variant="ghost"
          className="self-start"
          busy={older.isFetching}
          onClick={() => (older.data ? older.fetchNextPage() : older.refetch())}
        >
          Show older entries
        </Button>
      ) : null}
    </>
  )
}

type ActivityProps = { activity: ContactDetail['activities'][number]; onDelete: (id: string) => void }
function ActivityEntry({ activity: { id, kind, text, at, mentions }, onDelete }: ActivityProps) {
  const Icon = icons[kind] ?? Pencil
  return (
    <li className="flex gap-3 border-t border-line py-2.5 text-13 first:border-t-0">
      <Icon className="mt-0.5 size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1">
        <span className="block whitespace-pre-wrap break-words">
          <MentioningText text={text} mentions={mentions} />
        </span>
        <time dateTime={at} title={moment(at)} className="text-12 text-faint">
          {longAgo(at)}
        </time>
      </span>
      {kind === 'note' ? (
        <IconButton variant="ghost" label="Delete note" onClick={() => onDelete(id)}>
          <X />
        </IconButton>
      ) : null}
    </li>
  )
}
