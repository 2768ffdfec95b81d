import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { cx } from './cx.ts'

type Tone = 'good' | 'bad' | 'info'
type Toast = { id: number; tone: Tone; title: string; text?: string; action?: { label: string; run: () => void }; ms: number }

let toasts: Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}
function show(tone: Tone, title: string, text?: string, options: { action?: Toast['action']; ms?: number } = {}) {
  const id = nextId++
  set([...toasts.slice(-2), { id, tone, title, text, action: options.action, ms: options.ms ?? (tone === 'bad' ? 8000 : 5000) }])
  return id
}

export const toast = {
  success: (title: string, text?: string, options?: { action?: Toast['action']; ms?: number }) => show('good', title, text, options),
  error: (title: string, text?: string, options?: { action?: Toast['action']; ms?: number }) => show('bad', title, text, options),
  info: (title: string, text?: string, options?: { action?: Toast['action']; ms?: number }) => show('info', title, text, options),
  /** Ten seconds to take a destructive act back. */
  undo: (title: string, run: () => void) => show('info', title, undefined, { action: { label: 'Undo', run }, ms: 10_000 }),
  dismiss: (id: number) => set(toasts.filter((item) => item.id !== id)),
}

/** Does what a person asked for; where it fails, a message says what did not happen, and why. Returns whether it was done. */
export async function attempt(failure: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    // Sign-in opens next and gives the reason.
    if ((error as Error).name !== 'AuthSessionMissingError') toast.error(failure, (error as Error).message)
    return false
  }
}

/** Places in the page that make room for messages, so that they cover nothing; the one that came last has them. */
let slots: HTMLElement[] = []
const place = (next: HTMLElement[]) => {
  slots = next
  for (const listener of listeners) listener()
}

/** Where a page is read to its edges: messages stand here, in a row of their own. */
export function ToastSlot({ className }: { className?: string }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current: element } = ref
    place([...slots, element!])
    return () => place(slots.filter((slot) => slot !== element))
  }, [])
  return <div ref={ref} className={className} />
}

/** Comes with the app: a prerendered page has nothing to say, and the first round trip no room for its styles. */
export function ToastHost() {
  const items = useSyncExternalStore(
    subscribe,
    () => toasts,
    () => null,
  )
  const slot = useSyncExternalStore(
    subscribe,
    () => slots.at(-1),
    () => undefined,
  )
  if (!items) return null
  const cards = items.map((item) => <ToastCard key={item.id} item={item} />)
  if (slot)
    return createPortal(
      <section aria-label="Messages" aria-live="polite" className="flex flex-col gap-2">
        {cards}
      </section>,
      slot,
    )
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      // On a phone below the top bar: thumb and main button are at the lower edge. Menus that open from the header stay uncovered.
      className="pointer-events-none fixed z-[70] flex flex-col gap-2 max-md:inset-x-3 max-md:top-22 md:right-4 md:bottom-11 md:w-96 [html:has(header_[role=menu],header_[data-drops])_&]:top-auto! [html:has(header_[role=menu],header_[data-drops])_&]:bottom-11!"
    >
      {cards}
    </section>
  )
}

function ToastCard({ item }: { item: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => toast.dismiss(item.id), item.ms)
    return () => clearTimeout(timer)
  }, [item])
  const Icon = item.tone === 'good' ? CircleCheck : item.tone === 'bad' ? CircleAlert : Info
  return (
    <div
      role={item.tone === 'bad' ? 'alert' : 'status'}
      className="pointer-events-auto flex items-start gap-3 rounded-panel bg-panel p-3 pr-2 hairline shadow-float animate-rise"
    >
      <Icon className={cx('mt-0.5 size-4', item.tone === 'good' ? 'text-good' : item.tone === 'bad' ? 'text-bad' : 'text-info')} />
      <div className="min-w-0 flex-1">
        <p className="text-13 font-medium">{item.title}</p>
        {item.text ? <p className="mt-0.5 text-13 text-muted">{item.text}</p> : null}
      </div>
      {item.action ? (
        <button
          type="button"
          className="h-6 rounded-control px-2 text-13 font-medium text-signal-text hover:bg-raised"
          onClick={() => {
            item.action?.run()
            toast.dismiss(item.id)
          }}
        >
          {item.action.label}
        </button>
      ) : null}
      <button
        type="button"
        aria-label="Dismiss"
        className="grid size-6 place-items-center rounded-control text-faint hover:bg-raised hover:text-text"
        onClick={() => toast.dismiss(item.id)}
      >
        <X className="size-3.5" />
      </button>
    </div>
  )
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
