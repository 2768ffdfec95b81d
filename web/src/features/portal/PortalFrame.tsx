import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { SandboxRibbon } from '../../shell/SandboxRibbon.tsx'
import { ThemeToggle } from '../../shell/ThemeToggle.tsx'
import { Wordmark } from '../../ui/Mark.tsx'

/** The form at the left, what the person comes for at the right. */
export function PortalFrame({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <div className="grid flex-1 lg:grid-cols-[minmax(0,34rem)_1fr]">
        <div className="flex flex-col px-5 pb-10 md:px-12">
          <header className="flex h-16 items-center justify-between">
            <Link to={paths.home} aria-label={`${product.name}, home`} className="-ml-1 rounded-control p-1">
              <Wordmark name={product.name} />
            </Link>
            <ThemeToggle />
          </header>
          <main tabIndex={-1} className="flex flex-1 flex-col justify-center py-6">
            <div className="w-full max-w-[25rem] self-center lg:self-start">{children}</div>
          </main>
        </div>
        <aside className="hidden border-l border-line bg-panel lg:flex lg:flex-col lg:justify-center lg:overflow-hidden">
          {aside ?? <DefaultAside />}
        </aside>
      </div>
      <SandboxRibbon floating />
    </div>
  )
}

function DefaultAside() {
  const rows = ['Know who needs an answer today', 'Ask four models, keep the best', 'Write it, check it, send it', 'See what it brought in']
  return (
    <div className="px-16">
      <svg
        viewBox="0 0 420 96"
        className="h-24 text-text"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d="M2 76V20h52m-12-12 12 12-12 12" />
        <path d="M2 76h418" className="text-control" stroke="currentColor" />
        <rect x="34" y="60" width="150" height="32" rx="16" className="fill-signal animate-switch-on" stroke="none" />
        <rect
          x="200"
          y="60"
          width="64"
          height="32"
          rx="16"
          className="fill-signal animate-switch-on"
          stroke="none"
          style={{ animationDelay: '140ms' }}
        />
        <rect
          x="280"
          y="60"
          width="104"
          height="32"
          rx="16"
          className="fill-signal animate-switch-on"
          stroke="none"
          style={{ animationDelay: '280ms' }}
        />
      </svg>
      <ol className="mt-10 max-w-md">
        {rows.map((row) => (
          <li key={row} className="border-t border-line py-3 text-20 font-medium text-muted">
            {row}
          </li>
        ))}
      </ol>
    </div>
  )
}
