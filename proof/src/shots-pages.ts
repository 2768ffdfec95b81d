import type { Page } from '@playwright/test'

export type Who = 'nobody' | 'seller' | 'buyer' | 'beginner' | 'unpaid' | 'staff'
/** `do` brings the page into the state that is looked at; what floats over it is taken as the window shows it, not at full length. */
export type Shot = {
  path: string
  who?: Who
  name?: string
  do?: (page: Page) => Promise<unknown>
  before?: (page: Page) => Promise<unknown>
  floats?: boolean
}

const press = (role: 'button' | 'tab' | 'menuitem', name: string | RegExp) => (page: Page) => page.getByRole(role, { name }).first().click()
const section = (name: string, who: Who = 'seller'): Shot => ({
  path: `/dashboard/settings?section=${name}`,
  name: `settings-${name}`,
  who,
})
const answer = (glob: string, status: number) => (page: Page) =>
  page.route(glob, (route) => route.fulfill({ status, json: { code: 'unavailable', message: 'The server is away for a moment.' } }))

/** Keys are heard once the shell stands. */
const keys = (pressed: string, opens: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'Toggle sidebar' }).waitFor()
  await page.keyboard.press(pressed)
  await page.locator(opens).waitFor()
}

/** A question that is refused is asked again before the page says so. */
const told = (words: RegExp) => (page: Page) => page.getByText(words).first().waitFor()

/** Every page and every state of the app that somebody can be in. An alias address shows the landing view: one of them is enough. */
export const shots = (found: { storefront: string; product: string; checkout: string; newsletter: string }): Shot[] => [
  { path: '/' },
  {
    path: '/',
    name: 'landing-menu',
    do: (page) =>
      page
        .getByRole('button', { name: 'Menu' })
        .click({ timeout: 500 })
        .catch(() => {}),
    floats: true,
  },
  { path: '/why-choose-us' },
  { path: '/get-started' },
  { path: '/auth' },
  { path: '/auth', name: 'auth-refused', do: refused, floats: true },
  { path: '/auth?ref=NOSUCHCODE', name: 'auth-unknown-code', do: press('tab', 'Sign Up') },
  { path: '/auth/seller' },
  { path: '/auth/seller', name: 'auth-seller-sign-up', do: halfSignedUp },
  { path: '/auth/seller', name: 'auth-seller-refused', do: refused },
  { path: '/auth/buyer' },
  { path: '/auth/buyer', name: 'auth-buyer-sign-up', do: press('tab', 'Sign Up') },
  { path: '/forgot-password' },
  { path: '/forgot-password', name: 'forgot-password-sent', do: forgot },
  { path: '/reset-password' },
  { path: '/reset-password', who: 'buyer', name: 'reset-password-form' },
  { path: '/pricing' },
  { path: '/terms-of-service' },
  { path: '/privacy-policy' },
  { path: '/security' },
  { path: found.storefront },
  { path: found.product, name: 'product' },
  { path: '/marketplace' },
  { path: `${found.storefront}?q=zebra`, name: 'storefront-nothing-found' },
  { path: '/marketplace/nobody' },
  { path: '/nowhere' },
  { path: '/goodbye', do: goodbye },
  { path: found.newsletter, name: 'newsletter-confirm' },
  { path: found.newsletter.replace(/token=.*/, 'token=none'), name: 'newsletter-refused', do: press('button', 'Confirm') },
  { path: '/thank-you?session_id=none', name: 'thank-you-signed-out' },

  { path: '/pricing', who: 'unpaid' },
  { path: '/pricing', who: 'seller' },
  {
    path: '/pricing',
    who: 'seller',
    name: 'pricing-unreached',
    before: answer('**/functions/v1/check-subscription', 503),
    do: told(/could not be/),
  },
  { path: `/thank-you?session_id=${found.checkout}`, who: 'beginner', name: 'thank-you' },
  { path: '/thank-you?session_id=none', who: 'beginner', name: 'thank-you-failed' },
  { path: '/referrals', who: 'seller' },
  { path: '/buyer-dashboard', who: 'buyer' },
  ...['orders', 'messages', 'wishlist', 'reviews', 'searches', 'settings'].map(
    (place): Shot => ({ path: `/buyer-dashboard/${place}`, who: 'buyer', name: `buyer-${place}` }),
  ),
  { path: '/orders/a-link-of-nothing-at-all', name: 'order-unknown' },
  { path: '/cart', name: 'cart-empty' },
  { path: '/staff', who: 'staff' },
  { path: '/staff?section=events', who: 'staff', name: 'staff-events' },
  ...['matters', 'sellers', 'payouts', 'disputes', 'books', 'figures', 'coupons', 'log'].map(
    (name): Shot => ({ path: `/staff?section=${name}`, who: 'staff', name: `staff-${name}` }),
  ),

  { path: '/dashboard', who: 'seller' },
  { path: '/dashboard', who: 'beginner' },
  {
    path: '/dashboard',
    who: 'seller',
    name: 'dashboard-unreached',
    before: answer('**/functions/v1/dashboard-stats', 503),
    do: told(/could not be/),
  },
  { path: '/dashboard', who: 'seller', name: 'gate-verifying', before: (page) => page.route('**/rest/v1/subscribers**', () => {}) },
  { path: '/dashboard', who: 'seller', name: 'gate-unreached', before: answer('**/rest/v1/subscribers**', 503), do: told(/could not be/) },
  {
    path: '/dashboard/how-it-works',
    who: 'seller',
    name: 'page-broken',
    before: (page) => page.route('**/assets/HowItWorksPage*.js', (route) => route.abort()),
    do: told(/stopped working/),
  },
  { path: '/dashboard', who: 'seller', name: 'bell', do: press('button', /^Notifications/), floats: true },
  { path: '/dashboard', who: 'seller', name: 'account-menu', do: press('button', 'Account menu'), floats: true },
  { path: '/dashboard', who: 'seller', name: 'palette', do: keys('Control+k', 'dialog[open]'), floats: true },
  { path: '/dashboard', who: 'seller', name: 'quick-actions', do: press('button', 'Quick Actions'), floats: true },
  { path: '/dashboard', who: 'seller', name: 'talk-to', do: talk, floats: true },
  {
    path: '/dashboard',
    who: 'seller',
    name: 'sidebar-toggled',
    do: keys('Control+b', 'dialog[open], aside[data-collapsed=true]'),
    floats: true,
  },
  { path: '/dashboard/payments', who: 'seller' },
  { path: '/dashboard/payments?tab=payouts', who: 'beginner', name: 'payments-payouts' },
  {
    path: '/dashboard/payments',
    who: 'seller',
    name: 'payments-unreached',
    before: answer('**/functions/v1/seller-balance', 503),
    do: told(/could not be/),
  },
  { path: '/dashboard/how-it-works', who: 'seller' },
  { path: '/dashboard/marketplace', who: 'beginner', name: 'marketplace-overview-samples' },
  { path: '/dashboard/marketplace', who: 'seller', name: 'marketplace-overview' },
  { path: '/dashboard/marketplace?tab=products', who: 'beginner', name: 'marketplace-no-products' },
  { path: '/dashboard/marketplace?tab=products', who: 'seller', name: 'marketplace-products' },
  { path: '/dashboard/marketplace?tab=products&new=', who: 'seller', name: 'marketplace-new-product', floats: true },
  {
    path: '/dashboard/marketplace?tab=products',
    who: 'seller',
    name: 'marketplace-editor',
    do: (page) => page.getByRole('main').getByRole('listitem').first().getByRole('link').click(),
  },
  { path: '/dashboard/marketplace?tab=profile', who: 'seller', name: 'marketplace-profile' },
  { path: '/dashboard/template-library', who: 'seller' },
  { path: '/dashboard/template-library?q=zebra', who: 'seller', name: 'template-library-nothing-found' },
  ...['profile', 'security', 'devices', 'keys', 'webhooks', 'usage', 'data'].map((name) => section(name)),
  { ...section('security'), name: 'settings-authenticator', do: press('button', 'Add an authenticator'), floats: true },
  { ...section('webhooks'), name: 'settings-webhook-new', do: press('button', 'Add endpoint'), floats: true },
  { ...section('data'), name: 'settings-delete', do: press('button', 'Delete account'), floats: true },
  ...[
    'ai-lab',
    'ai-assistant',
    'operon-ai',
    'operon-ai-help',
    'image-studio',
    'library',
    'voice-interface',
    'content-creator',
    'brand-builder',
    'meta-ads',
  ].map((name): Shot => ({ path: `/dashboard/${name}`, who: 'seller' })),
]

async function talk(page: Page) {
  await page.getByRole('button', { name: /^Talk to/ }).click()
  await page.getByPlaceholder('Ask, or say where to go').waitFor()
}

async function refused(page: Page) {
  await page.getByLabel('Email').fill(`nobody-${Date.now()}@studio.example`)
  await page.getByLabel('Password', { exact: true }).fill('Wrong-pass 1!')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.getByText('Invalid credentials').waitFor()
}

async function halfSignedUp(page: Page) {
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await page.getByLabel('Full name').fill('Mara Lindt')
  await page.getByLabel('Email').fill('mara@studio.example')
  await page.getByLabel('Password', { exact: true }).fill('Sunny-day')
  await page.getByLabel('Confirm password').fill('Sunny-night')
}

async function forgot(page: Page) {
  await page.getByLabel('Email').fill('nobody@studio.example')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText(/a link is on its way/).waitFor()
}

/** Only the deletion itself opens it: it leaves its time in the history. */
async function goodbye(page: Page) {
  await page.evaluate("history.replaceState({ usr: { deletedAt: Date.now() }, key: 'shot' }, '', '/goodbye')")
  await page.reload({ waitUntil: 'networkidle' })
}
