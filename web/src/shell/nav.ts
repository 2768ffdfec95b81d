import { BookOpenCheck, LayoutDashboard, type LucideIcon } from 'lucide-react'

export const navGroups = ['Overview', 'Assistants', 'Create', 'Grow', 'Run', 'Learn'] as const
export type NavGroup = (typeof navGroups)[number]
/** `{product}` in a title becomes the installation's name. `action` is how Quick Actions on the dashboard puts it. */
export type NavItem = { title: string; path: string; icon: LucideIcon; group: NavGroup; keywords?: string; action?: string }

/** The sidebar and the command palette. A page that is built is one line here and one in router.tsx; what is not built is not here. */
export const navItems: NavItem[] = [
  { title: 'Dashboard', path: '/dashboard', icon: LayoutDashboard, group: 'Overview', keywords: 'home overview leads' },
  { title: 'How It Works', path: '/dashboard/how-it-works', icon: BookOpenCheck, group: 'Learn', keywords: 'guide start seller' },
]
