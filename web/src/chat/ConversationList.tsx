import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { EllipsisVertical, MessagesSquare, Pencil, SquarePen, Trash2 } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { CONVERSATIONS_A_PAGE, type Conversation, change, listConversations, remove } from '../api/ai.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Menu, MenuItem } from '../ui/Menu.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/Panel.tsx'
import { toast } from '../ui/toast.tsx'
import { useHidden } from './useHidden.ts'

type Props = {
  features: readonly string[]
  current: string | null
  onOpen: (id: string | null) => void
  newLabel?: string
  /** What the list says while it has nothing. */
  empty?: string
  /** A list in the page instead of beside a conversation. */
  inline?: boolean
  /** How a conversation is called here, where its title says more than that. */
  nameOf?: (title: string) => string
  /** Stand above and below the list, where it stands beside the conversation. */
  lead?: ReactNode
  foot?: ReactNode
  /** Stands in the bar that takes the list's place on a phone. */
  tools?: ReactNode
}

const NEW_KEYS = 'Ctrl Shift O'

/** Stands beside the conversation where there is room, behind a button where there is not. */
export function Conversations(props: Props) {
  const [open, setOpen] = useState(false)
  const beside = useRef<HTMLElement>(null)
  const fresh = useRef(startNew)
  fresh.current = startNew
  function startNew() {
    props.onOpen(null)
    if (!matchMedia('(pointer: coarse)').matches)
      beside.current?.parentElement?.querySelector<HTMLElement>('[data-composer] textarea')?.focus()
  }
  useEffect(() => {
    function onKey(event: globalThis.KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || !event.shiftKey || event.key.toLowerCase() !== 'o') return
      event.preventDefault()
      fresh.current()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  if (props.inline) return <ConversationList {...props} />
  return (
    <>
      <aside ref={beside} aria-label="Conversations" className="hidden min-h-0 flex-col border-r border-line lg:flex">
        {props.lead}
        <ConversationList {...props} onOpen={(id) => (id ? props.onOpen(id) : startNew())} />
        {props.foot}
      </aside>
      <div className="flex items-center gap-1 border-b border-line px-2 py-1 lg:hidden">
        <Button variant="ghost" className="min-w-0" onClick={() => setOpen(true)}>
          <MessagesSquare />
          Conversations
        </Button>
        <span aria-hidden="true" className="ml-auto" />
        {props.tools}
        <IconButton label={props.newLabel ?? 'New conversation'} hint={NEW_KEYS} onClick={startNew}>
          <SquarePen />
        </IconButton>
      </div>
      <Dialog open={open} onClose={() => setOpen(false)} title="Conversations" side="left" className="w-[22rem]">
        <ConversationList
          {...props}
          onOpen={(id) => {
            setOpen(false)
            props.onOpen(id)
          }}
        />
      </Dialog>
    </>
  )
}

function ConversationList({
  features,
  current,
  onOpen,
  newLabel = 'New conversation',
  empty = 'No conversations yet',
  inline,
  nameOf = (title) => title,
}: Props) {
  const [search, setSearch] = useState('')
  const asked = useSettled(search.trim())
  const list = useInfiniteQuery({
    queryKey: ['ai-conversations', ...features, asked],
    queryFn: ({ pageParam }) => listConversations(features, asked, pageParam),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length === CONVERSATIONS_A_PAGE ? pages.length : undefined),
    placeholderData: (before) => before,
  })
  const hidden = useHidden('ai_conversations', ['ai-conversations'])
  const found = list.data?.pages.flat().filter(({ id }) => !hidden.has(id))

  function drop({ id, title }: Conversation) {
    hidden.removeSoon(id, `“${title.slice(0, 40)}” deleted`, () => remove('ai_conversations', id))
    if (id === current) onOpen(null)
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
    const at = rows.indexOf(document.activeElement as HTMLElement)
    if (at < 0) return
    event.preventDefault()
    rows[(at + step + rows.length) % rows.length]?.focus()
  }

  return (
    <div className={cx('flex min-h-0 flex-1 flex-col', inline && 'max-h-96')}>
      <div className="flex flex-col gap-2 border-b border-line p-3">
        <Button onClick={() => onOpen(null)} data-tip={newLabel} data-tip-keys={NEW_KEYS}>
          <SquarePen />
          {newLabel}
        </Button>
        <input
          type="search"
          aria-label="Search conversations"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="h-8 w-full rounded-control border border-control/70 bg-page px-2.5 text-13 max-md:h-11"
        />
      </div>
      {list.isPending ? <Skeleton className="m-3 h-24" /> : null}
      {list.isError ? <ErrorState title="The list could not be loaded" error={list.error} retry={() => list.refetch()} /> : null}
      {found?.length === 0 ? (
        <EmptyState compact title={asked ? 'None has these words' : empty}>
          {asked ? 'Search looks at the titles.' : 'What you ask is kept here and survives a reload.'}
        </EmptyState>
      ) : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the rows inside */}
      <div onKeyDown={onKeyDown} className="min-h-0 flex-1 overflow-y-auto p-1.5">
        {byAge(found ?? []).map(([age, rows]) => (
          <section key={age} aria-label={age}>
            <p className="px-2 pt-2.5 pb-1 text-12 text-faint">{age}</p>
            <ul>
              {rows.map((conversation) => (
                <Row
                  key={conversation.id}
                  conversation={conversation}
                  name={nameOf(conversation.title)}
                  current={conversation.id === current}
                  onOpen={() => onOpen(conversation.id)}
                  onDelete={() => drop(conversation)}
                />
              ))}
            </ul>
          </section>
        ))}
        {list.hasNextPage ? (
          <Button
            variant="ghost"
            className="w-full"
            busy={list.isFetchingNextPage ? 'Loading' : false}
            onClick={() => list.fetchNextPage()}
          >
            Show older
          </Button>
        ) : null}
      </div>
    </div>
  )
}

const DAY_MS = 86_400_000

/** As people remember: today, yesterday, this week, this month, before. */
function byAge(conversations: Conversation[]): [string, Conversation[]][] {
  const midnight = new Date().setHours(0, 0, 0, 0)
  const ageOf = ({ updated_at }: Conversation) => {
    const at = Date.parse(updated_at)
    if (at >= midnight) return 'Today'
    if (at >= midnight - DAY_MS) return 'Yesterday'
    return at >= midnight - 7 * DAY_MS ? 'Last 7 days' : at >= midnight - 30 * DAY_MS ? 'Last 30 days' : 'Older'
  }
  return [...Map.groupBy(conversations, ageOf)]
}

const SETTLED_MS = 200

/** What has stood for a moment: the server is not asked letter by letter. */
function useSettled(value: string) {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

type RowProps = { conversation: Conversation; name: string; current: boolean; onOpen: () => void; onDelete: () => void }

/** F2 renames and Delete deletes what has the focus, as in a list of files. */
function Row({ conversation, name, current, onOpen, onDelete }: RowProps) {
  const queries = useQueryClient()
  const [renaming, setRenaming] = useState(false)

  async function rename(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget).get('title')).trim()
    setRenaming(false)
    if (!title || title === conversation.title) return
    try {
      await change('ai_conversations', conversation.id, { title })
      await queries.invalidateQueries({ queryKey: ['ai-conversations'] })
    } catch (error) {
      toast.error('The name was not changed', (error as Error).message)
    }
  }

  if (renaming)
    return (
      <li>
        <form onSubmit={rename}>
          <input
            name="title"
            aria-label="Name of the conversation"
            // biome-ignore lint/a11y/noAutofocus: the person has just asked to rename
            autoFocus
            defaultValue={conversation.title}
            maxLength={200}
            onFocus={(event) => event.target.select()}
            onBlur={(event) => event.currentTarget.form?.requestSubmit()}
            onKeyDown={(event) => event.key === 'Escape' && setRenaming(false)}
            className="h-9 w-full rounded-control border border-control bg-page px-2 text-13"
          />
        </form>
      </li>
    )
  return (
    <li className={cx('group relative flex items-center rounded-control', current ? 'bg-raised' : 'hover:bg-raised')}>
      <button
        type="button"
        data-row
        title={conversation.title}
        aria-current={current || undefined}
        onClick={onOpen}
        onKeyDown={(event) => {
          if (event.key === 'F2') setRenaming(true)
          if (event.key === 'Delete') onDelete()
        }}
        className="flex h-9 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left text-13 max-md:h-11"
      >
        <span className={cx('truncate', current ? 'font-medium' : 'text-muted')}>{name}</span>
      </button>
      <Menu
        trigger={(props) => (
          <button
            type="button"
            aria-label={`Options of ${conversation.title}`}
            className="grid size-8 place-items-center rounded-control text-faint hover:text-text focus-visible:opacity-100 aria-expanded:opacity-100 max-md:size-11 md:opacity-0 md:group-hover:opacity-100"
            {...props}
          >
            <EllipsisVertical className="size-4" />
          </button>
        )}
      >
        <MenuItem icon={<Pencil />} onSelect={() => setRenaming(true)}>
          Rename
        </MenuItem>
        <MenuItem icon={<Trash2 />} danger onSelect={onDelete}>
          Delete
        </MenuItem>
      </Menu>
    </li>
  )
}
