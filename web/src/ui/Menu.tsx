import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { cx } from './cx.ts'

type TriggerProps = { 'aria-haspopup': 'menu'; 'aria-expanded': boolean; 'aria-controls': string; onClick: () => void; id: string }

/** A menu button: arrows move, letters jump, Escape gives focus back. */
export function Menu({
  trigger,
  children,
  align = 'end',
  className,
}: {
  trigger: (props: TriggerProps) => ReactNode
  children: ReactNode
  align?: 'start' | 'end'
  className?: string
}) {
  const [open, setOpen] = useState(false)
  const wrap = useRef<HTMLDivElement>(null)
  const id = useId()

  useEffect(() => {
    if (!open) return
    // Within a list that scrolls all of it is to be seen, not its first item alone.
    wrap.current?.querySelector('[role=menu]')?.scrollIntoView({ block: 'nearest' })
    wrap.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const outside = (event: PointerEvent) => wrap.current?.contains(event.target as Node) || setOpen(false)
    document.addEventListener('pointerdown', outside)
    return () => document.removeEventListener('pointerdown', outside)
  }, [open])

  function onKeyDown(event: KeyboardEvent) {
    if (!open) return
    const items = [...(wrap.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const focus = (index: number) => items[(index + items.length) % items.length]?.focus()
    if (event.key === 'Tab') return setOpen(false)
    if (event.key === 'Escape') {
      setOpen(false)
      document.getElementById(`${id}-trigger`)?.focus()
    } else if (event.key === 'ArrowDown') focus(at + 1)
    else if (event.key === 'ArrowUp') focus(at - 1)
    else if (event.key === 'Home') focus(0)
    else if (event.key === 'End') focus(-1)
    else if (event.key.length === 1 && event.key !== ' ') {
      items.find((item) => item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()))?.focus()
      return
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the menu inside are heard here, the button's among them
    <div ref={wrap} className="relative" onKeyDown={onKeyDown}>
      {trigger({ 'aria-haspopup': 'menu', 'aria-expanded': open, 'aria-controls': id, onClick: () => setOpen(!open), id: `${id}-trigger` })}
      {open ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on an item clicks it, and this closes after it
        <div
          id={id}
          role="menu"
          aria-labelledby={`${id}-trigger`}
          onClick={() => setOpen(false)}
          className={cx(
            'absolute top-full z-50 mt-1.5 min-w-52 max-w-[min(20rem,calc(100vw-5.5rem))] rounded-panel bg-panel p-1 hairline shadow-float animate-rise',
            align === 'end' ? 'right-0' : 'left-0',
            className,
          )}
        >
          {children}
        </div>
      ) : null}
    </div>
  )
}

type ItemProps = { icon?: ReactNode; children: ReactNode; hint?: ReactNode; to?: string; onSelect?: () => void; danger?: boolean }

export function MenuItem({ icon, children, hint, to, onSelect, danger }: ItemProps) {
  const className = cx(
    'flex h-8 w-full items-center gap-2.5 rounded-control px-2 text-left text-13 outline-none max-md:h-11 [&_.lucide]:size-4 [&_.lucide]:text-faint',
    'hover:bg-raised focus-visible:bg-raised focus-visible:outline-1 focus-visible:outline-control focus-visible:outline-offset-[-1px]',
    danger ? 'text-bad' : 'text-text',
  )
  const content = (
    <>
      {icon}
      <span className="flex-1">{children}</span>
      {hint ? <span className="font-mono text-12 text-faint">{hint}</span> : null}
    </>
  )
  if (to)
    return (
      <Link role="menuitem" tabIndex={-1} to={to} onClick={onSelect} className={className}>
        {content}
      </Link>
    )
  return (
    <button type="button" role="menuitem" tabIndex={-1} onClick={onSelect} className={className}>
      {content}
    </button>
  )
}

export function MenuSeparator() {
  return <hr className="my-1 border-line" />
}
