import { Bell, MessageSquareText, PanelLeft, PhoneCall, Search, Workflow } from 'lucide-react'
import type { ReactNode } from 'react'
import { product } from '../../content/product.ts'
import { navGroups, navItems } from '../../shell/nav.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Avatar } from '../../ui/Data.tsx'
import { Wordmark } from '../../ui/Mark.tsx'
import { SamplePill } from '../../ui/Panel.tsx'

// On their way, so not in the app's own list.
const coming = [
  { title: 'AI Workflows', path: '/dashboard/workflows', icon: Workflow, group: 'Run' },
  { title: 'Voice Agents', path: '/dashboard/voice-agents', icon: PhoneCall, group: 'Run' },
] as const

// The landing page has to fit one round trip, so what lies below the frame's edge is only drawn where its own page is shown.
const below: readonly string[] = ['Grow', 'Run', 'Learn']

/** The app's own frame around a screen with sample data. `live` screens can be worked, the others looked at. */
export function ProductFrame({
  path,
  children,
  className,
  live,
}: {
  path: string
  children: ReactNode
  className?: string
  live?: boolean
}) {
  const items = [...navItems, ...coming.filter((item) => item.path === path)].map((item) => ({
    ...item,
    title: item.title.replace('{product}', product.name),
  }))
  const title = items.find((item) => item.path === path)!.title
  return (
    <div className={cx('flex overflow-hidden bg-page text-14', className)} inert={!live}>
      <div className="hidden w-56 shrink-0 flex-col border-r border-line bg-panel px-2 pb-4 lg:flex" inert>
        <Wordmark name={product.name} className="h-14 px-2.5" />
        {navGroups.map((group) => {
          const inGroup = items.filter((item) => item.group === group)
          if (below.includes(group) && !inGroup.some((item) => item.path === path)) return null
          return (
            <div key={group} className="pt-3 first-of-type:pt-1">
              <p className="px-2.5 pb-1 text-12 text-faint">{group}</p>
              {inGroup.map((item) => (
                <p
                  key={item.path}
                  className={cx(
                    'relative flex h-8 items-center gap-2.5 rounded-control px-2.5 text-13',
                    item.path === path
                      ? 'bg-raised font-medium text-text before:absolute before:-left-2 before:h-4 before:w-1 before:rounded-r-full before:bg-signal-text'
                      : 'text-muted',
                  )}
                >
                  <item.icon className="size-4" />
                  {item.title}
                </p>
              ))}
            </div>
          )
        })}
      </div>
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex h-14 shrink-0 items-center gap-3 border-b border-line px-4" inert>
          <PanelLeft className="size-4 text-faint" />
          <span className="truncate font-semibold">{title}</span>
          <SamplePill />
          <span className="ml-auto flex items-center gap-3 text-faint">
            <Search className="size-4 max-sm:hidden" />
            <span className={cx(buttonClass(), 'max-lg:hidden')}>
              <MessageSquareText />
              Talk to {product.name}
            </span>
            <Bell className="size-4" />
            <Avatar email="mara@studio.example" className="max-sm:hidden" />
          </span>
        </div>
        {children}
      </div>
    </div>
  )
}
