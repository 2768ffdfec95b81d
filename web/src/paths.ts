// Every address of the app, once.
export const paths = {
  home: '/',
  getStarted: '/get-started',
  auth: '/auth',
  sellerPortal: '/auth/seller',
  buyerPortal: '/auth/buyer',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  pricing: '/pricing',
  thankYou: '/thank-you',
  referrals: '/referrals',
  terms: '/terms-of-service',
  privacy: '/privacy-policy',
  security: '/security',
  buyer: '/buyer-dashboard',
  dashboard: '/dashboard',
  settings: '/dashboard/settings',
  howItWorks: '/dashboard/how-it-works',
  storefront: (slug: string) => `/marketplace/${slug}`,
} as const

export const homeOf = (role: 'seller' | 'buyer' | null | undefined) => (role === 'buyer' ? paths.buyer : paths.dashboard)
