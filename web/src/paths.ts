// Every address of the app, once.
export const paths = {
  home: '/',
  getStarted: '/get-started',
  auth: '/auth',
  sellerPortal: '/auth/seller',
  buyerPortal: '/auth/buyer',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  lostSecondFactor: '/lost-second-factor',
  pricing: '/pricing',
  thankYou: '/thank-you',
  referrals: '/referrals',
  terms: '/terms-of-service',
  privacy: '/privacy-policy',
  security: '/security',
  goodbye: '/goodbye',
  consent: '/oauth/consent',
  buyer: '/buyer-dashboard',
  dashboard: '/dashboard',
  settings: '/dashboard/settings',
  assistant: '/dashboard/operon-ai',
  analyst: '/dashboard/ai-assistant',
  lab: '/dashboard/ai-lab',
  help: '/dashboard/operon-ai-help',
  content: '/dashboard/content-creator',
  ads: '/dashboard/meta-ads',
  brand: '/dashboard/brand-builder',
  images: '/dashboard/image-studio',
  payments: '/dashboard/payments',
  howItWorks: '/dashboard/how-it-works',
  manage: '/dashboard/marketplace',
  editProduct: (id: string) => `/dashboard/marketplace/${id}`,
  templates: '/dashboard/template-library',
  sharedImage: '/shared/image/:token',
  marketplace: '/marketplace',
  storefront: (slug: string) => `/marketplace/${slug}`,
  product: (slug: string, key: string) => `/marketplace/${slug}/${key}`,
} as const

/** Drawn by the server, each with its rows. */
export const marketplacePaths = [paths.marketplace, '/marketplace/:userSlug', '/marketplace/:userSlug/:itemKey']

export const homeOf = (role: 'seller' | 'buyer' | null | undefined) => (role === 'buyer' ? paths.buyer : paths.dashboard)
