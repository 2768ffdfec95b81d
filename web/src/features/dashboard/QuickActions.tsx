import { ChevronRight, CreditCard, Settings, Share2 } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { useNavigate } from 'react-router-dom'
import { usePlatform } from '../../api/platform.ts'
import { paths } from '../../paths.ts'
import { navItems } from '../../shell/nav.ts'
import { Dialog } from '../../ui/Dialog.tsx'

/** Opens the thing each names. Only tools that exist are offered. */
export function QuickActions({ open, onClose, onShare }: { open: boolean; onClose: () => void; onShare: () => void }) {
  const navigate = useNavigate()
  const { product_name } = usePlatform()
  const tools = navItems.filter((item) => item.path !== paths.dashboard)
  const actions = [
    ...tools.map((item) => ({
      key: item.path,
      icon: item.icon,
      label: item.action ?? `Open ${item.title.replace('{product}', product_name)}`,
      run: () => navigate(item.opens ?? item.path),
    })),
    { key: 'share', icon: Share2, label: 'Copy the marketplace link', run: onShare },
    { key: 'plan', icon: CreditCard, label: 'See plan and usage', run: () => navigate(paths.pricing) },
    { key: 'settings', icon: Settings, label: 'Change account settings', run: () => navigate(paths.settings) },
  ]
  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    buttons[(at + step + buttons.length) % buttons.length]?.focus()
  }

  return (
    <Dialog open={open} onClose={onClose} title="Quick Actions" description="What do you want to do?">
      <ul className="-mx-2" onKeyDown={onKeyDown}>
        {actions.map((action, index) => (
          <li key={action.key}>
            <button
              type="button"
              data-first={index === 0 || undefined}
              onClick={() => {
                onClose()
                action.run()
              }}
              className="flex h-10 w-full items-center gap-3 rounded-control px-2 text-left text-14 hover:bg-raised max-md:h-11"
            >
              <action.icon className="size-4 text-faint" />
              <span className="flex-1">{action.label}</span>
              <ChevronRight className="size-4 text-faint" />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
