import { Settings } from 'lucide-react'
import { NavLink } from 'react-router-dom'
import { usePlatform } from '../api/platform.ts'
import { paths } from '../paths.ts'
import { cx } from '../ui/cx.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Mark, Wordmark } from '../ui/Mark.tsx'
import { navGroups, navItems } from './nav.ts'

/** 16rem, or 3rem of icons. */
export function Sidebar({ collapsed }: { collapsed: boolean }) {
  const { product_name } = usePlatform()
  return (
    <aside data-collapsed={collapsed} className="sticky top-0 hidden h-dvh flex-col overflow-hidden border-r border-line bg-panel md:flex">
      <NavLink
        to={paths.home}
        aria-label={`${product_name}, home`}
        className={cx('flex h-14 shrink-0 items-center', collapsed ? 'justify-center' : 'px-4')}
      >
        {collapsed ? <Mark className="h-4" /> : <Wordmark name={product_name} />}
      </NavLink>
      <NavList collapsed={collapsed} />
    </aside>
  )
}

/** 18rem, over the page. */
export function MobileSidebar({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { product_name } = usePlatform()
  return (
    <Dialog open={open} onClose={onClose} title="Navigation" side="left" bare phoneOnly>
      <div className="flex h-full flex-col">
        <span className="flex h-14 items-center px-4">
          <Wordmark name={product_name} />
        </span>
        <NavList collapsed={false} onNavigate={onClose} />
      </div>
    </Dialog>
  )
}

function NavList({ collapsed, onNavigate }: { collapsed: boolean; onNavigate?: () => void }) {
  const { product_name } = usePlatform()
  const item = (entry: { title: string; path: string; icon: typeof Settings }) => (
    <li key={entry.path}>
      <NavLink
        to={entry.path}
        end={entry.path === paths.dashboard}
        onClick={onNavigate}
        data-tip={collapsed ? entry.title : undefined}
        data-tip-side="right"
        aria-label={collapsed ? entry.title : undefined}
        className={({ isActive }) =>
          cx(
            'relative flex h-8 items-center gap-2.5 rounded-control text-13 outline-offset-[-2px] transition-colors duration-120 max-md:h-11 max-md:text-14',
            collapsed ? 'justify-center' : 'px-2.5',
            isActive
              ? 'bg-raised font-medium text-text before:absolute before:-left-2 before:h-4 before:w-1 before:rounded-r-full before:bg-signal-text'
              : 'text-muted hover:bg-raised hover:text-text',
          )
        }
      >
        <entry.icon className="size-4" />
        {collapsed ? null : <span className="truncate">{entry.title}</span>}
      </NavLink>
    </li>
  )

  return (
    <nav aria-label="Dashboard" className="flex flex-1 flex-col overflow-x-hidden overflow-y-auto px-2 pb-3">
      {navGroups.map((group) => {
        const items = navItems
          .filter((entry) => entry.group === group)
          .map((entry) => ({ ...entry, title: entry.title.replace('{product}', product_name) }))
        if (items.length === 0) return null
        return (
          <div key={group} className="pt-3 first:pt-1">
            {collapsed ? <hr className="mx-2 mb-2 border-line" /> : <p className="px-2.5 pb-1 text-12 text-faint">{group}</p>}
            <ul className="flex flex-col gap-px">{items.map(item)}</ul>
          </div>
        )
      })}
      <ul className="mt-auto border-t border-line pt-2">{item({ title: 'Settings', path: paths.settings, icon: Settings })}</ul>
    </nav>
  )
}
