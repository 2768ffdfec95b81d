import { marketplacePaths } from '../paths.ts'
import { product } from './product.ts'

type PageMeta = { path: string; title: string; description: string; index?: boolean }

const landing = { title: `${product.name}: ${product.tagline.replace('The', 'the')}`, description: product.description }

/** The pages that are prerendered, with what search and previews say of them. `index: false` stays out of the sitemap. */
export const prerenderedPages: PageMeta[] = [
  { path: '/', ...landing },
  ...['/select-plan', '/business-info', '/thank-you', '/test-airtable', '/referrals', '/why-choose-us', '/path-to-6-7-figures'].map(
    (path) => ({ path, ...landing, index: false }),
  ),
  {
    path: '/get-started',
    title: `Get started with ${product.name}`,
    description: 'Choose how to start: run your business and sell templates, or browse and buy.',
  },
  { path: '/auth', title: `Sign in to ${product.name}`, description: 'Sign in or create an account.', index: false },
  { path: '/auth/seller', title: `Seller sign-in · ${product.name}`, description: 'Sign in or create a seller account.', index: false },
  { path: '/auth/buyer', title: `Buyer sign-in · ${product.name}`, description: 'Sign in or create a buyer account.', index: false },
  {
    path: '/forgot-password',
    title: `Forgot password · ${product.name}`,
    description: 'Ask for a link that sets a new password.',
    index: false,
  },
  {
    path: '/pricing',
    title: `Plans and prices · ${product.name}`,
    description: 'Basic $49, Pro $99 and Enterprise $149 a month, each with a 3-day free trial.',
  },
  { path: '/security', title: `Security · ${product.name}`, description: 'How we protect accounts, payments and data.' },
  {
    path: '/terms-of-service',
    title: `Terms of Service · ${product.name}`,
    description: 'The agreement between you and the operator of this service.',
  },
  {
    path: '/privacy-policy',
    title: `Privacy Policy · ${product.name}`,
    description: 'The data we keep, why, for how long, and the rights you have.',
  },
]

/** Pages that the gateway draws with their rows. Without an answer of the marketplace the app is sent like this and asks by itself. */
export const prerenderedFrames: PageMeta[] = marketplacePaths.map((path) => ({
  path,
  title: `Marketplace · ${product.name}`,
  description: 'Templates and automations, sold by the people who made them. Browse and buy without an account.',
}))

const signedIn: Record<string, string> = {
  '/dashboard': 'Dashboard',
  '/dashboard/settings': 'Settings',
  '/dashboard/operon-ai': `${product.name} AI`,
  '/dashboard/operon-ai-help': `${product.name} AI Help`,
  '/dashboard/ai-assistant': 'AI Business Analyst',
  '/dashboard/ai-lab': 'AI Assistant Lab',
  '/dashboard/how-it-works': 'How It Works',
  '/dashboard/marketplace': 'Marketplace',
  '/dashboard/template-library': 'Template Library',
  '/dashboard/app-library': 'App Library',
  '/dashboard/notion': 'Notion Integration',
  '/dashboard/meta-ads': 'Meta Ads Manager',
  '/dashboard/email-studio': 'Email Studio',
  '/dashboard/crm': 'CRM',
  '/buyer-dashboard': 'Buyer dashboard',
  '/buyer-dashboard/orders': 'Orders',
  '/buyer-dashboard/messages': 'Messages',
  '/buyer-dashboard/wishlist': 'Wishlist',
  '/buyer-dashboard/reviews': 'Reviews',
  '/buyer-dashboard/searches': 'Saved searches',
  '/buyer-dashboard/settings': 'Settings',
  '/cart': 'Cart',
  '/reset-password': 'New password',
  '/lost-second-factor': 'Lost second factor',
  '/goodbye': 'Goodbye',
  '/staff': 'Staff',
}

/** A page of the marketplace names itself by its rows. */
export function titleOf(pathname: string) {
  if (/^\/marketplace(\/|$)/.test(pathname)) return undefined
  const known = prerenderedPages.find((page) => page.path === pathname)
  if (known) return known.title
  if (/^\/dashboard\/marketplace\//.test(pathname)) return `Product · ${product.name}`
  const last = pathname.split('/').pop() ?? ''
  const spoken =
    signedIn[pathname] ??
    (/^(\/buyer-dashboard)?\/orders\//.test(pathname) ? 'Order' : undefined) ??
    (pathname.startsWith('/dashboard/') ? last.replaceAll('-', ' ').replace(/\b(ai|crm)\b/g, (word) => word.toUpperCase()) : '')
  return spoken ? `${spoken.charAt(0).toUpperCase()}${spoken.slice(1)} · ${product.name}` : product.name
}
