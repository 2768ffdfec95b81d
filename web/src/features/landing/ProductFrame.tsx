import {
  Bell,
  Bot,
  Columns4,
  LayoutDashboard,
  Megaphone,
  MessageSquareText,
  PanelLeft,
  PenLine,
  PhoneCall,
  Sparkles,
  Tags,
  Workflow,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { product } from '../../content/product.ts'
import { cx } from '../../ui/cx.ts'
import { Mark } from '../../ui/Mark.tsx'
import { SamplePill } from '../../ui/Panel.tsx'

const sidebar = [
  ['dashboard', 'Dashboard', LayoutDashboard],
  ['operon-ai', `${product.name} AI`, Sparkles],
  ['ai-assistant', 'AI Assistant', Bot],
  ['ai-lab', 'AI Assistant Lab', Columns4],
  ['content-creator', 'Content Creator', PenLine],
  ['meta-ads', 'Meta Ads Manager', Megaphone],
  ['brand-builder', 'Brand Builder', Tags],
  ['voice-agents', 'Voice Agents', PhoneCall],
  ['workflows', 'AI Workflows', Workflow],
] as const

const titles: Record<string, string> = {
  dashboard: 'Dashboard',
  workflows: 'AI Workflows',
  'ai-lab': 'AI Assistant Lab',
  'voice-agents': 'Voice Agents',
}

/** The app's own frame around a screen with sample data. It can be looked at, not worked. */
export function ProductFrame({
  path,
  children,
  className,
}: {
  path: keyof typeof titles & string
  children: ReactNode
  className?: string
}) {
  return (
    <div className={cx('overflow-hidden rounded-panel bg-page text-14 hairline', className)} inert>
      <div className="flex">
        <div className="hidden w-52 shrink-0 flex-col gap-0.5 border-r border-line bg-panel p-2 md:flex">
          <p className="flex h-9 items-center gap-2 px-2 font-semibold">
            <Mark className="h-4" />
            {product.name}
          </p>
          {sidebar.map(([id, title, Icon]) => (
            <p
              key={id}
              className={cx(
                'flex h-8 items-center gap-2.5 rounded-control px-2 text-13',
                id === path ? 'bg-raised text-text' : 'text-muted',
              )}
            >
              <Icon className="size-4" />
              {title}
            </p>
          ))}
        </div>
        <div className="min-w-0 flex-1">
          <div className="flex h-12 items-center gap-3 border-b border-line px-4">
            <PanelLeft className="size-4 text-faint" />
            <span className="text-14 font-semibold">{titles[path]}</span>
            <SamplePill />
            <span className="ml-auto hidden h-8 items-center gap-2 rounded-control px-3 text-13 hairline lg:flex">
              <MessageSquareText className="size-4" />
              Talk to {product.name}
            </span>
            <Bell className="ml-auto size-4 text-faint lg:ml-2" />
          </div>
          <div className="min-h-[27rem] p-4 md:p-5">{children}</div>
        </div>
      </div>
    </div>
  )
}
