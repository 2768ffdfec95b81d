import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { EllipsisVertical, MessagesSquare, Pencil, SquarePen, Trash2 } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import {
  CONVERSATIONS_A_PAGE,
  type Conversation,
  change,
  type Feature,
  type Found,
  listConversations,
  remove,
  searchConversations,
} from '../api/ai.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { DAY_MS } from '../ui/format.ts'
import { Menu, MenuItem } from '../ui/Menu.tsx'
import { Asked, EmptyState, ErrorState, Skeleton } from '../ui/Panel.tsx'
import { toast } from '../ui/toast.tsx'
import { addressOf, assistants, places } from './places.ts'
import { useHidden } from './useHidden.ts'

type Props = {
  features: readonly Feature[]
  current: string | null
  onOpen: (id: string | null) => void
  newLabel?: string
  /** The text of an empty list. */
  empty?: string
  /** A list in the page instead of beside a conversation. */
  inline?: boolean
  /** How a conversation is called here, where its title says more than that. */
  nameOf?: (title: string) => string
  /** Stand above and below the list, where it stands beside the conversation. */
  lead?: ReactNode
  foot?: ReactNode
  /** A conversation elsewhere was chosen. */
  onPicked?: () => void
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
          onPicked={() => setOpen(false)}
          onOpen={(id) => {
            setOpen(false)
            props.onOpen(id)
          }}
        />
        {props.foot}
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
  onPicked,
  nameOf = (title) => title,
}: Props) {
  const [search, setSearch] = useState('')
  const asked = useSettled(search.trim())
  const list = useInfiniteQuery({
    queryKey: ['ai-conversations', ...features],
    queryFn: ({ pageParam }) => listConversations(features, pageParam),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length === CONVERSATIONS_A_PAGE ? pages.length : undefined),
  })
  // A list in a page is searched by itself; beside a conversation all assistants are.
  const among = inline ? features : assistants
  const results = useQuery({
    queryKey: ['ai-conversations', 'search', asked, ...among],
    queryFn: () => searchConversations(asked, [...among]),
    enabled: asked !== '',
    placeholderData: (before) => before,
  })
  const hidden = useHidden('ai_conversations', ['ai-conversations'])
  const rows = list.data?.pages.flat().filter(({ id }) => !hidden.has(id))
  const found = results.data?.filter(({ conversation_id }) => !hidden.has(conversation_id))

  function drop({ id, title }: Named) {
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
      {asked ? (
        <Results
          found={found}
          query={results}
          inline={inline}
          nameOf={nameOf}
          current={current}
          onOpen={onOpen}
          onPicked={onPicked}
          onDelete={drop}
          onKeyDown={onKeyDown}
        />
      ) : (
        <>
          <Asked query={list} skeleton="m-3 h-24" failed="The list could not be loaded" />
          {rows?.length === 0 ? <p className="px-5 py-4 text-13 text-muted">{empty}. Everything you ask is kept here.</p> : null}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the rows inside */}
          <div onKeyDown={onKeyDown} className="min-h-0 flex-1 overflow-y-auto p-1.5">
            {byAge(rows ?? []).map(([age, rows]) => (
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
        </>
      )}
    </div>
  )
}

type ResultsProps = Pick<Props, 'current' | 'inline' | 'onOpen' | 'onPicked'> & {
  onDelete: (conversation: Named) => void
  found: Found[] | undefined
  query: { isPending: boolean; isError: boolean; error: Error | null; refetch: () => unknown }
  nameOf: (title: string) => string
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
}

/** Conversations that have the words, with the words around them and the assistant they are with. */
function Results({ found, query, inline, nameOf, current, onOpen, onPicked, onDelete, onKeyDown }: ResultsProps) {
  const navigate = useNavigate()
  function open({ feature, conversation_id, message_id }: Found) {
    const address = inline ? null : addressOf(feature, conversation_id, message_id)
    if (!address) return onOpen(conversation_id)
    navigate(address)
    onPicked?.()
  }
  if (query.isError) return <ErrorState title="The search failed" error={query.error!} retry={() => query.refetch()} />
  if (!found) return <Skeleton className="m-3 h-24" />
  if (found.length === 0)
    return (
      <EmptyState compact title="No matches">
        Search looks at titles and messages, by whole words or their beginnings.
      </EmptyState>
    )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the rows inside
    <div onKeyDown={onKeyDown} className="min-h-0 flex-1 overflow-y-auto p-1.5">
      <ul aria-label="Found">
        {found.map((each) => (
          <Row
            key={each.conversation_id}
            conversation={{ id: each.conversation_id, title: each.title }}
            name={nameOf(each.title)}
            place={inline ? undefined : places[each.feature]}
            excerpt={each.excerpt}
            current={each.conversation_id === current}
            onOpen={() => open(each)}
            onDelete={() => onDelete({ id: each.conversation_id, title: each.title })}
          />
        ))}
      </ul>
    </div>
  )
}

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

/** The text once typing pauses, so that the server is not asked letter by letter. */
function useSettled(value: string) {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

type Named = Pick<Conversation, 'id' | 'title'>
type RowProps = {
  conversation: Named
  name: string
  /** The assistant it is with, where that is not plain. */
  place?: string
  excerpt?: string | null
  current: boolean
  onOpen: () => void
  onDelete: () => void
}

/** F2 renames and Delete deletes what has the focus, as in a list of files. */
function Row({ conversation, name, place, excerpt, current, onOpen, onDelete }: RowProps) {
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
        className="flex min-h-9 min-w-0 flex-1 flex-col justify-center rounded-control px-2 py-1 text-left text-13 max-md:min-h-11"
      >
        <span className="flex w-full min-w-0 items-baseline gap-2">
          <span className={cx('min-w-0 truncate', current ? 'font-medium' : 'text-muted')}>{name}</span>
          {place ? <span className="ml-auto text-12 text-faint">{place}</span> : null}
        </span>
        {excerpt ? <span className="line-clamp-2 text-12 text-faint">{excerpt}</span> : null}
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
