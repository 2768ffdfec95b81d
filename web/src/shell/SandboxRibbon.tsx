import { thirdParties } from '@operon/contracts/third-parties'
import { usePlatform } from '../api/platform.ts'
import { cx } from '../ui/cx.ts'

const list = new Intl.ListFormat('en')

/** One quiet line: which third parties are stand-ins here, or how many where there is no room for their names, and where their mail went. */
export function SandboxRibbon({ floating }: { floating?: boolean }) {
  const { sandboxed } = usePlatform()
  if (sandboxed.length === 0) return null
  const verb = sandboxed.length === 1 ? 'is a stand-in' : 'are stand-ins'
  return (
    <aside
      aria-label="Sandbox"
      className={cx(
        'z-30 flex h-7 items-center justify-center gap-2 border-line bg-raised px-4 text-12 text-muted',
        floating ? 'sticky bottom-0 border-t' : 'border-b',
      )}
    >
      <span className="truncate max-lg:hidden">
        Sandbox: {list.format(sandboxed.map((provider) => thirdParties[provider] ?? provider))} {verb}
      </span>
      <span className="truncate lg:hidden">
        Sandbox: {sandboxed.length} {sandboxed.length === 1 ? 'provider' : 'providers'} {verb}
      </span>
      <a
        href="/sandbox/inbox"
        target="_blank"
        rel="noreferrer"
        className="flex min-h-6 shrink-0 items-center text-text underline decoration-control underline-offset-2 hover:decoration-text"
      >
        Open the inbox
      </a>
    </aside>
  )
}
