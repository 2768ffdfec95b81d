import { isAppPath } from '@operon/contracts/links'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { useCallback, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { call } from '../api/call.ts'
import { useLive, useLiveSocket } from '../api/live.ts'
import { refresh } from '../api/refresh.ts'
import { loadBackend } from '../api/session.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { ago } from '../ui/format.ts'
import { Asked, EmptyState } from '../ui/Panel.tsx'
import { toast } from '../ui/toast.tsx'

type Notification = { id: string; title: string; body: string | null; link: string | null; read_at: string | null; created_at: string }

/** The unread count is real and comes over the socket. */
export function NotificationBell({ userId }: { userId: string }) {
  const [open, setOpen] = useState(false)
  const wrap = useRef<HTMLDivElement>(null)
  const panelId = useId()
  const navigate = useNavigate()
  const queries = useQueryClient()
  useLiveSocket()

  const key = ['notifications', userId]
  const list = useQuery({
    queryKey: key,
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<Notification[]>(
        rest.from('notifications').select('id,title,body,link,read_at,created_at').order('created_at', { ascending: false }).limit(30),
      )
    },
  })
  const onNews = useCallback(() => void refresh(queries, ['notifications', userId]), [queries, userId])
  useLive('notification', onNews)
  const markRead = useMutation({
    mutationFn: (body: { ids?: string[] }) => call('notifications-read', body),
    onMutate: (body) =>
      queries.setQueryData<Notification[]>(key, (before) =>
        before?.map((item) =>
          !body.ids || body.ids.includes(item.id) ? { ...item, read_at: item.read_at ?? new Date().toISOString() } : item,
        ),
      ),
    onError: (error) => {
      toast.error('Not marked as read', error.message)
      onNews()
    },
  })

  useEffect(() => {
    if (!open) return
    const outside = (event: PointerEvent) => wrap.current?.contains(event.target as Node) || setOpen(false)
    function onEscape(event: KeyboardEvent) {
      if (event.key !== 'Escape') return
      setOpen(false)
      wrap.current?.querySelector('button')?.focus()
    }
    document.addEventListener('pointerdown', outside)
    document.addEventListener('keydown', onEscape)
    return () => {
      document.removeEventListener('pointerdown', outside)
      document.removeEventListener('keydown', onEscape)
    }
  }, [open])

  function visit(item: Notification) {
    if (!item.read_at) markRead.mutate({ ids: [item.id] })
    if (!isAppPath(item.link)) return
    setOpen(false)
    navigate(item.link)
  }

  const unread = list.data?.filter((item) => !item.read_at).length ?? 0
  // A spoken name has in it what is seen.
  const counted = unread > 9 ? '9+' : unread
  return (
    <div ref={wrap} className="sm:relative">
      <IconButton
        label={unread ? `Notifications, ${counted} unread` : 'Notifications'}
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen(!open)}
        className="relative"
      >
        <Bell />
        {unread ? (
          <span
            aria-hidden="true"
            data-testid="unread"
            className="absolute top-0.5 right-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-signal px-1 font-mono text-[10px] leading-none font-semibold text-ink tabular max-md:top-1.5 max-md:right-1.5"
          >
            {counted}
          </span>
        ) : null}
      </IconButton>
      {open ? (
        <section
          id={panelId}
          aria-label="Notifications"
          data-drops
          className="absolute inset-x-2 top-full z-50 mt-1.5 rounded-panel bg-panel hairline shadow-float animate-rise sm:inset-x-auto sm:right-0 sm:w-96"
        >
          <header className="flex h-11 items-center justify-between border-b border-line pr-2 pl-4">
            <h2 className="text-14 font-semibold">Notifications</h2>
            <Button variant="ghost" className="h-7" disabled={!unread} onClick={() => markRead.mutate({})}>
              Mark all read
            </Button>
          </header>
          <div className="max-h-[60dvh] overflow-y-auto">
            <Asked query={list} failed="Notifications could not be loaded" />
            {list.data?.length === 0 ? (
              <EmptyState compact title="All quiet">
                You will see sales, limits and finished work here.
              </EmptyState>
            ) : null}
            <ul className="divide-y divide-line">
              {list.data?.map((item) => (
                <li key={item.id}>
                  <button
                    type="button"
                    onClick={() => visit(item)}
                    className="flex w-full gap-3 px-4 py-3 text-left outline-offset-[-2px] hover:bg-raised"
                  >
                    <span
                      aria-hidden="true"
                      className={cx('mt-1.5 h-1.5 w-3 shrink-0 rounded-full', item.read_at ? 'bg-line' : 'bg-signal-text')}
                    />
                    <span className="min-w-0 flex-1">
                      <span className={cx('block text-13', item.read_at ? 'text-muted' : 'font-medium')}>{item.title}</span>
                      {item.body ? <span className="mt-0.5 block text-12 text-faint">{item.body}</span> : null}
                    </span>
                    <span className="font-mono text-12 text-faint tabular">{ago(item.created_at)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </div>
        </section>
      ) : null}
    </div>
  )
}
