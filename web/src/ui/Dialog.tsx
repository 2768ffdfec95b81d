import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button, IconButton } from './Button.tsx'
import { cx } from './cx.ts'
import { ToastSlot } from './toast.tsx'

type DialogProps = {
  open: boolean
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  footer?: ReactNode
  side?: 'center' | 'right' | 'left'
  className?: string
  bare?: boolean
  /** Has its place on a phone alone: closes where the window grows, since a modal that is not shown would leave the page dead. */
  phoneOnly?: boolean
}

/** The browser's own modal: it traps focus, makes the rest inert and gives focus back. An element marked `data-first` gets the first focus. */
export function Dialog({ open, onClose, title, description, children, footer, side = 'center', className, bare, phoneOnly }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) {
      dialog.showModal()
      dialog.querySelector<HTMLElement>('[data-first]')?.focus()
    }
    if (!open && dialog.open) dialog.close()
  }, [open])
  useEffect(() => {
    if (!open || !phoneOnly) return
    const wide = matchMedia('(width >= 768px)')
    const onChange = () => wide.matches && onClose()
    wide.addEventListener('change', onChange)
    return () => wide.removeEventListener('change', onChange)
  }, [open, phoneOnly, onClose])

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the dialog's own; the click is only the backdrop's
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      // React tells an outer dialog of the closing of an inner one as well.
      onClose={(event) => event.target === ref.current && onClose()}
      onClick={(event) => event.target === ref.current && onClose()}
      className={cx(
        'modal fixed bg-panel p-0 outline-none text-14 text-text hairline shadow-float',
        side === 'center' && 'm-auto max-h-[min(44rem,calc(100dvh-2rem))] w-[min(30rem,calc(100vw-2rem))] rounded-panel',
        side === 'right' && 'from-right my-0 mr-0 ml-auto h-dvh max-h-none w-[min(28rem,100vw)] max-w-none border-y-0 border-r-0',
        side === 'left' && 'from-left my-0 mr-auto ml-0 h-dvh max-h-none w-72 max-w-[88vw] border-y-0 border-l-0',
        className,
      )}
    >
      {open ? (
        bare ? (
          <>
            <h2 id={titleId} className="sr-only">
              {title}
            </h2>
            {children}
          </>
        ) : (
          <div className="flex max-h-[inherit] min-h-full flex-col">
            <header className="flex items-start justify-between gap-4 px-5 pt-3 pb-3">
              <div className="pt-1 max-md:pt-2.5">
                <h2 id={titleId} className="text-16 font-semibold">
                  {title}
                </h2>
                {description ? <p className="mt-1 text-13 text-muted">{description}</p> : null}
              </div>
              <IconButton label="Close" onClick={onClose} className="-mr-2 max-md:-mr-3.5">
                <X />
              </IconButton>
            </header>
            <div className="flex-1 overflow-y-auto px-5 pb-5">{children}</div>
            {/* Outside of a modal nothing can be pressed, an Undo neither. */}
            <ToastSlot className="sticky bottom-0 z-10 px-5 [&:has(section:not(:empty))]:py-3" />
            {footer ? <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer> : null}
          </div>
        )
      ) : null}
    </dialog>
  )
}

type ConfirmProps = {
  open: boolean
  onClose: () => void
  title: ReactNode
  children?: ReactNode
  action: string
  /** The way back, where "Cancel" could be taken for the action. */
  keep?: string
  danger?: boolean
  onConfirm: () => Promise<unknown> | unknown
}

/** Asks once, naming the thing. */
export function Confirm({ open, onClose, title, children, action, keep = 'Cancel', danger, onConfirm }: ConfirmProps) {
  const [busy, setBusy] = useState(false)
  async function confirm() {
    setBusy(true)
    try {
      await onConfirm()
      onClose()
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{keep}</Button>
          <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="text-14 text-muted">{children}</div>
    </Dialog>
  )
}
