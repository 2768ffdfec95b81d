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
  const entries = [...detail.activities, ...(older.data?.pages.flatMap((page) => page.activities) ?? [])]
  const hasMore = older.data ? older.hasNextPage : Boolean(detail.cursor)
  const remove = (activity_id: string) =>
    attempt('The note was not deleted', async () => {
      await call('delete-note', { activity_id }, { idempotencyKey: newKey() })
      await onChanged()
    })
  if (entries.length === 0)
    return <p className="text-13 text-muted">Nothing yet. Purchases, bookings, emails and your notes appear here.</p>
  return (
    <>
      <ol className="flex flex-col">
        {entries.map(({ id, kind, text, at }) => {
          const Icon = icons[kind] ?? Pencil
          return (
            <li key={id} className="flex gap-3 border-t border-line py-2.5 text-13 first:border-t-0">
              <Icon className="mt-0.5 size-4 shrink-0 text-faint" />
              <span className="min-w-0 flex-1">
                <span className="block whitespace-pre-wrap break-words">{text}</span>
                <time dateTime={at} title={moment(at)} className="text-12 text-faint">
                  {longAgo(at)}
                </time>
              </span>
              {kind === 'note' ? (
                <IconButton variant="ghost" label="Delete note" onClick={() => remove(id)}>
                  <X />
                </IconButton>
              ) : null}
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
