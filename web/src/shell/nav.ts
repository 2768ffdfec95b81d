import {
  Banknote,
  BookOpenCheck,
  Bot,
  ChartNoAxesColumn,
  CircleQuestionMark,
  FlaskConical,
  Image,
  LayoutDashboard,
  LayoutTemplate,
  type LucideIcon,
  Megaphone,
  PenLine,
  Store,
  Tag,
} from 'lucide-react'

export const navGroups = ['Overview', 'Assistants', 'Create', 'Grow', 'Run', 'Learn'] as const
export type NavGroup = (typeof navGroups)[number]
/** `{product}` in a title becomes the installation's name. `action` is how Quick Actions on the dashboard puts it, `opens` where it leads if not to the page. */
export type NavItem = { title: string; path: string; icon: LucideIcon; group: NavGroup; keywords?: string; action?: string; opens?: string }

/** The sidebar and the command palette. A page that is built is one line here and one in router.tsx; what is not built is not here. */
export const navItems: NavItem[] = [
  { title: 'Dashboard', path: '/dashboard', icon: LayoutDashboard, group: 'Overview', keywords: 'home overview leads' },
  {
    title: '{product} AI',
    path: '/dashboard/operon-ai',
    icon: Bot,
    group: 'Assistants',
    keywords: 'chat talk ask',
    action: 'Start a chat',
  },
  {
    title: 'AI Assistant',
    path: '/dashboard/ai-assistant',
    icon: ChartNoAxesColumn,
    group: 'Assistants',
    keywords: 'business analyst actions',
    action: 'Ask the analyst',
  },
  {
    title: 'AI Assistant Lab',
    path: '/dashboard/ai-lab',
    icon: FlaskConical,
    group: 'Assistants',
    keywords: 'compare models',
    action: 'Compare models',
  },
  { title: '{product} AI Help', path: '/dashboard/operon-ai-help', icon: CircleQuestionMark, group: 'Assistants', keywords: 'support how' },
  {
    title: 'Image Studio',
    path: '/dashboard/image-studio',
    icon: Image,
    group: 'Create',
    keywords: 'image picture photo logo draw',
    action: 'Make an image',
  },
  {
    title: 'Content Creator',
    path: '/dashboard/content-creator',
    icon: PenLine,
    group: 'Create',
    keywords: 'blog social write',
    action: 'Write something',
  },
  {
    title: 'Meta Ads Manager',
    path: '/dashboard/meta-ads',
    icon: Megaphone,
    group: 'Create',
    keywords: 'ads facebook instagram',
    action: 'Write an ad',
  },
  {
    title: 'Brand Builder',
    path: '/dashboard/brand-builder',
    icon: Tag,
    group: 'Create',
    keywords: 'names domains',
    action: 'Find a name',
  },
  {
    title: 'Payments',
    path: '/dashboard/payments',
    icon: Banknote,
    group: 'Run',
    keywords: 'sales payouts refunds balance money transactions',
    action: 'See payments and payouts',
  },
  {
    title: 'Marketplace',
    path: '/dashboard/marketplace',
    icon: Store,
    group: 'Run',
    keywords: 'sell products storefront coupons business profile messages',
    action: 'Add a product',
    opens: '/dashboard/marketplace?tab=products&new=',
  },
  {
    title: 'Template Library',
    path: '/dashboard/template-library',
    icon: LayoutTemplate,
    group: 'Learn',
    keywords: 'workflows prompts packs free',
    action: 'Browse templates',
  },
  { title: 'How It Works', path: '/dashboard/how-it-works', icon: BookOpenCheck, group: 'Learn', keywords: 'guide start seller' },
]
