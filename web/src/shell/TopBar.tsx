import type { User } from '@supabase/auth-js'
import { MessageSquareText, PanelLeft, Search } from 'lucide-react'
import { useLocation } from 'react-router-dom'
import { usePlatform } from '../api/platform.ts'
import { titleOf } from '../content/pages.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { NotificationBell } from './NotificationBell.tsx'
import { navItems } from './nav.ts'
import { ThemeToggle } from './ThemeToggle.tsx'
import type { useSidebar } from './useSidebar.ts'

type Props = { user: User; sidebar: ReturnType<typeof useSidebar>; onAssistant: () => void; onCommands: () => void }

export function TopBar({ user, sidebar, onAssistant, onCommands }: Props) {
  const { pathname } = useLocation()
  const { product_name } = usePlatform()
  const item = navItems.find((entry) => entry.path === pathname)
  const title = item?.title.replace('{product}', product_name) ?? titleOf(pathname)?.split(' · ')[0]
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center gap-1 border-b border-line bg-page px-2 max-[23rem]:px-1 md:px-4">
      <IconButton label="Toggle sidebar" hint="Ctrl B" aria-expanded={sidebar.open} onClick={sidebar.toggle}>
        <PanelLeft />
      </IconButton>
      <p className="ml-1 min-w-0 truncate max-[23rem]:ml-0 text-14 font-semibold">{title}</p>
      <div className="ml-auto flex items-center gap-1 max-sm:gap-0">
        <IconButton label="Search and commands" hint="Ctrl K" onClick={onCommands} className="max-sm:hidden">
          <Search />
        </IconButton>
        <Button onClick={onAssistant} className="max-md:px-3">
          <MessageSquareText />
          <span className="max-sm:sr-only">Talk to {product_name}</span>
        </Button>
        <NotificationBell userId={user.id} />
        <ThemeToggle />
        <AccountMenu user={user} where="shell" />
      </div>
    </header>
  )
}
