import type { ReactNode } from 'react'
import { Busy, Mark } from '../ui/Mark.tsx'

export function PageLoading({ text }: { text?: string }) {
  return (
    <main className="grid min-h-[60dvh] place-items-center">
      <div className="flex flex-col items-center gap-3 text-13 text-muted">
        <span className="text-signal-text">
          <Busy label={text ?? 'Loading the page'} />
        </span>
        {text ? <p>{text}</p> : null}
      </div>
    </main>
  )
}

export function FullPage({ children }: { children: ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center p-6">
      <div className="flex w-full max-w-md flex-col items-start gap-4">
        <Mark className="h-6" />
        <div className="-mx-5">{children}</div>
      </div>
    </main>
  )
}
