import { lazyPage } from '../lazyPage.tsx'

/** The landing page, for the addresses that show it unless they have something of their own. */
export const LandingView = lazyPage(() => import('../features/landing/LandingPage.tsx').then((m) => m.LandingPage))
