import { type LucideIcon, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { useOnline } from '../api/online.ts'
import { cx } from '../ui/cx.ts'

/** On a page without a live connection: one line while this device is offline. */
export function OfflineLine({ className }: { className?: string }) {
  if (useOnline()) return null
  return (
    <ConnectionLine icon={WifiOff} className={className}>
      {offlineText}
    </ConnectionLine>
  )
}

export const offlineText = 'You are offline. What you type stays here, and the page catches up when you are back.'

type LineProps = { icon: LucideIcon; children: ReactNode; className?: string | undefined }
export function ConnectionLine({ icon: Icon, children, className }: LineProps) {
  return (
    <p
      role="status"
      className={cx(
        'flex min-h-8 items-center justify-center gap-2 border-b border-warn/40 bg-warn-soft px-4 py-1 text-12 text-text',
        className,
      )}
    >
      <Icon className="size-3.5 shrink-0 text-warn" />
      {children}
    </p>
  )
}
