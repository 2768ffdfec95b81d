import { ArrowUpRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyRow } from '../ui/Mark.tsx'

type Starter = string | { title: string; prompt: string }

/** First things to say, while nothing has been said. */
export function Starters({
  title,
  children,
  prompts,
  onPick,
  disabled,
}: {
  title: ReactNode
  children?: ReactNode
  prompts: readonly Starter[]
  onPick: (prompt: string) => void
  disabled?: boolean
}) {
  return (
    <div className="flex flex-col gap-4 pt-2">
      <EmptyRow className="h-8 self-start" />
      <div>
        <p className="text-16 font-semibold">{title}</p>
        {children ? <div className="mt-1 text-13 text-muted">{children}</div> : null}
      </div>
      <ul className="grid grid-cols-1 gap-px overflow-hidden rounded-panel bg-line hairline sm:grid-cols-2">
        {prompts.map((starter) => {
          const { title: name, prompt } = typeof starter === 'string' ? { title: starter, prompt: starter } : starter
          return (
            <li key={name} className="flex bg-panel sm:last:odd:col-span-2">
              <button
                type="button"
                disabled={disabled}
                onClick={() => onPick(prompt)}
                className="group flex min-h-11 w-full items-center justify-between gap-3 px-3.5 py-2.5 text-left text-13 outline-offset-[-2px] hover:bg-raised disabled:opacity-60"
              >
                {name}
                <ArrowUpRight className="size-4 text-faint group-hover:text-text" />
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
