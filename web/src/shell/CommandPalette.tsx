import { Command } from 'cmdk'
import { CreditCard, MessageSquareText, Moon, Settings, ShoppingBag, Store } from 'lucide-react'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router-dom'
import { usePlatform } from '../api/platform.ts'
import { paths } from '../paths.ts'
import { Kbd } from '../ui/Data.tsx'
import { currentTheme, setTheme } from '../ui/theme.ts'
import { navItems } from './nav.ts'

export function CommandPalette({ onClose, onAssistant }: { onClose: () => void; onAssistant: () => void }) {
  const navigate = useNavigate()
  const { product_name } = usePlatform()
  const go = (path: string) => () => {
    onClose()
    navigate(path)
  }
  const act = (run: () => void) => () => {
    onClose()
    run()
  }

  return (
    <Command label="Search and commands" loop className="flex flex-col">
      <Command.Input
        autoFocus
        placeholder="Search pages and actions"
        className="h-12 border-b border-line bg-transparent px-4 text-14 outline-none"
      />
      <Command.List className="max-h-80 overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-12 [&_[cmdk-group-heading]]:text-faint">
        <Command.Empty className="px-3 py-8 text-13 text-muted">No matches.</Command.Empty>
        <Command.Group heading="Go to">
          {navItems.map((item) => (
            <Item key={item.path} icon={<item.icon />} keywords={item.keywords?.split(' ')} onSelect={go(item.path)}>
              {item.title.replace('{product}', product_name)}
            </Item>
          ))}
          <Item icon={<Settings />} keywords={['profile', 'password', 'account']} onSelect={go(paths.settings)}>
            Settings
          </Item>
          <Item icon={<CreditCard />} keywords={['billing', 'upgrade', 'invoices']} onSelect={go(paths.pricing)}>
            Plans and billing
          </Item>
          <Item icon={<ShoppingBag />} keywords={['orders']} onSelect={go(paths.buyer)}>
            Buyer dashboard
          </Item>
          <Item icon={<Store />} keywords={['invite', 'code']} onSelect={go(paths.referrals)}>
            Referrals
          </Item>
        </Command.Group>
        <Command.Group heading="Do">
          <Item icon={<MessageSquareText />} onSelect={act(onAssistant)}>
            {`Talk to ${product_name}`}
          </Item>
          <Item
            icon={<Moon />}
            keywords={['dark', 'light', 'theme']}
            onSelect={act(() => setTheme(currentTheme() === 'dark' ? 'light' : 'dark'))}
          >
            Switch theme
          </Item>
        </Command.Group>
      </Command.List>
      <p aria-hidden="true" className="flex items-center gap-4 border-t border-line px-4 py-2 text-12 text-faint max-md:hidden">
        <span className="flex items-center gap-1.5">
          <Kbd>↑</Kbd>
          <Kbd>↓</Kbd> move
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd>Enter</Kbd> open
        </span>
        <span className="ml-auto flex items-center gap-1.5">
          <Kbd>Esc</Kbd> close
        </span>
      </p>
    </Command>
  )
}

function Item({ icon, children, keywords, onSelect }: { icon: ReactNode; children: string; keywords?: string[]; onSelect: () => void }) {
  return (
    <Command.Item
      value={children}
      keywords={keywords}
      onSelect={onSelect}
      className="flex h-9 cursor-pointer items-center gap-3 rounded-control px-2.5 text-13 data-[selected=true]:bg-raised max-md:h-11 [&_.lucide]:size-4 [&_.lucide]:text-faint"
    >
      {icon}
      {children}
    </Command.Item>
  )
}
