import type { ReactNode } from 'react'
import { matchPath, Navigate, Route, Routes } from 'react-router-dom'
import { type LazyPage, lazyPage } from './lazyPage.tsx'
import { marketplacePaths, paths } from './paths.ts'

// One line a page. Seller pages stand in `sellerPages`: they get the gate and the shell.

const Landing = lazyPage(() => import('./features/landing/LandingPage.tsx').then((m) => m.LandingPage))
const Shell = lazyPage(() => import('./shell/Shell.tsx').then((m) => m.GatedShell))
const NotFound = lazyPage(() => import('./features/notFound/NotFoundPage.tsx').then((m) => m.NotFoundPage))

const Storefront = lazyPage(() => import('./features/storefront/StorefrontPage.tsx').then((m) => m.StorefrontPage))

type PageRoute = { path: string; page: LazyPage }

const publicPages: PageRoute[] = [
  { path: paths.home, page: Landing },
  ...['/select-plan', '/business-info', '/test-airtable', '/why-choose-us', '/path-to-6-7-figures'].map((path) => ({
    path,
    page: Landing,
  })),
  { path: paths.thankYou, page: lazyPage(() => import('./features/billing/ThankYouPage.tsx').then((m) => m.ThankYouPage), Landing) },
  { path: paths.referrals, page: lazyPage(() => import('./features/referrals/ReferralsPage.tsx').then((m) => m.ReferralsPage), Landing) },
  { path: paths.getStarted, page: lazyPage(() => import('./features/portal/GetStartedPage.tsx').then((m) => m.GetStartedPage)) },
  { path: paths.auth, page: lazyPage(() => import('./features/portal/PortalPage.tsx').then((m) => m.GeneralPortalPage)) },
  { path: '/auth/:userType', page: lazyPage(() => import('./features/portal/PortalPage.tsx').then((m) => m.RolePortalPage)) },
  {
    path: paths.forgotPassword,
    page: lazyPage(() => import('./features/portal/ForgotPasswordPage.tsx').then((m) => m.ForgotPasswordPage)),
  },
  {
    path: paths.lostSecondFactor,
    page: lazyPage(() => import('./features/portal/LostSecondFactorPage.tsx').then((m) => m.LostSecondFactorPage)),
  },
  { path: paths.resetPassword, page: lazyPage(() => import('./features/portal/ResetPasswordPage.tsx').then((m) => m.ResetPasswordPage)) },
  { path: paths.pricing, page: lazyPage(() => import('./features/billing/PricingPage.tsx').then((m) => m.PricingPage)) },
  { path: paths.terms, page: lazyPage(() => import('./features/legal/LegalPage.tsx').then((m) => m.TermsPage)) },
  { path: paths.privacy, page: lazyPage(() => import('./features/legal/LegalPage.tsx').then((m) => m.PrivacyPage)) },
  { path: paths.security, page: lazyPage(() => import('./features/legal/SecurityPage.tsx').then((m) => m.SecurityPage)) },
  { path: paths.goodbye, page: lazyPage(() => import('./features/goodbye/GoodbyePage.tsx').then((m) => m.GoodbyePage)) },
  { path: paths.consent, page: lazyPage(() => import('./features/apps/ConsentPage.tsx').then((m) => m.ConsentPage)) },
  { path: '/connect/:app', page: lazyPage(() => import('./features/connections/ConnectedPage.tsx').then((m) => m.ConnectedPage)) },
  { path: paths.sharedImage, page: lazyPage(() => import('./features/images/SharedImagePage.tsx').then((m) => m.SharedImagePage)) },
  ...['/book/:profile', '/book/:profile/:type'].map((path) => ({
    path,
    page: lazyPage(() => import('./features/booking/BookPage.tsx').then((m) => m.BookPage)),
  })),
  { path: '/forms/:formId', page: lazyPage(() => import('./features/leadForm/LeadFormPage.tsx').then((m) => m.LeadFormPage)) },
  { path: '/booking/:token', page: lazyPage(() => import('./features/booking/BookingPage.tsx').then((m) => m.BookingPage)) },
  ...marketplacePaths.map((path) => ({ path, page: Storefront })),
  { path: paths.buyer, page: lazyPage(() => import('./features/buyer/BuyerDashboardPage.tsx').then((m) => m.BuyerDashboardPage)) },
  { path: paths.buyerOrders, page: lazyPage(() => import('./features/buyer/OrdersPage.tsx').then((m) => m.OrdersPage)) },
  { path: '/buyer-dashboard/orders/:orderId', page: lazyPage(() => import('./features/buyer/OrderPage.tsx').then((m) => m.OwnOrderPage)) },
  { path: '/orders/:orderToken', page: lazyPage(() => import('./features/buyer/OrderPage.tsx').then((m) => m.OrderByLinkPage)) },
  { path: paths.buyerMessages, page: lazyPage(() => import('./features/buyer/MessagesPage.tsx').then((m) => m.BuyerMessagesPage)) },
  { path: paths.buyerWishlist, page: lazyPage(() => import('./features/buyer/WishlistPage.tsx').then((m) => m.WishlistPage)) },
  { path: paths.buyerReviews, page: lazyPage(() => import('./features/buyer/ReviewsPage.tsx').then((m) => m.ReviewsPage)) },
  { path: paths.buyerSearches, page: lazyPage(() => import('./features/buyer/SearchesPage.tsx').then((m) => m.SearchesPage)) },
  { path: paths.buyerSettings, page: lazyPage(() => import('./features/settings/BuyerSettingsPage.tsx').then((m) => m.BuyerSettingsPage)) },
  { path: paths.cart, page: lazyPage(() => import('./features/storefront/CartPage.tsx').then((m) => m.CartPage)) },
  { path: '/staff', page: lazyPage(() => import('./features/staff/StaffPage.tsx').then((m) => m.StaffPage), NotFound) },
  ...(import.meta.env.DEV
    ? [{ path: '/dev/ui', page: lazyPage(() => import('./features/devUi/DevUiPage.tsx').then((m) => m.DevUiPage)) }]
    : []),
]

const sellerPages: PageRoute[] = [
  { path: '/dashboard', page: lazyPage(() => import('./features/dashboard/DashboardPage.tsx').then((m) => m.DashboardPage)) },
  { path: paths.assistant, page: lazyPage(() => import('./features/chat/ProductChatPage.tsx').then((m) => m.ProductChatPage)) },
  { path: paths.analyst, page: lazyPage(() => import('./features/analyst/AnalystPage.tsx').then((m) => m.AnalystPage)) },
  { path: paths.lab, page: lazyPage(() => import('./features/lab/LabPage.tsx').then((m) => m.LabPage)) },
  { path: paths.help, page: lazyPage(() => import('./features/help/HelpPage.tsx').then((m) => m.HelpPage)) },
  { path: paths.voice, page: lazyPage(() => import('./features/voice/VoicePage.tsx').then((m) => m.VoicePage)) },
  { path: paths.images, page: lazyPage(() => import('./features/images/ImageStudioPage.tsx').then((m) => m.ImageStudioPage)) },
  { path: paths.library, page: lazyPage(() => import('./features/library/LibraryPage.tsx').then((m) => m.LibraryPage)) },
  { path: paths.content, page: lazyPage(() => import('./features/content/ContentPage.tsx').then((m) => m.ContentPage)) },
  { path: paths.ads, page: lazyPage(() => import('./features/ads/AdsPage.tsx').then((m) => m.AdsPage)) },
  { path: paths.brand, page: lazyPage(() => import('./features/brand/BrandPage.tsx').then((m) => m.BrandPage)) },
  { path: paths.apps, page: lazyPage(() => import('./features/connections/AppLibraryPage.tsx').then((m) => m.AppLibraryPage)) },
  { path: paths.notion, page: lazyPage(() => import('./features/connections/notion/NotionPage.tsx').then((m) => m.NotionPage)) },
  { path: paths.crm, page: lazyPage(() => import('./features/crm/CrmPage.tsx').then((m) => m.CrmPage)) },
  { path: paths.email, page: lazyPage(() => import('./features/email/EmailStudioPage.tsx').then((m) => m.EmailStudioPage)) },
  { path: paths.calendar, page: lazyPage(() => import('./features/calendar/CalendarPage.tsx').then((m) => m.CalendarPage)) },
  { path: paths.payments, page: lazyPage(() => import('./features/payments/PaymentsPage.tsx').then((m) => m.PaymentsPage)) },
  {
    path: paths.templates,
    page: lazyPage(() => import('./features/templates/TemplateLibraryPage.tsx').then((m) => m.TemplateLibraryPage)),
  },
  { path: paths.manage, page: lazyPage(() => import('./features/products/MarketplacePage.tsx').then((m) => m.MarketplacePage)) },
  { path: '/dashboard/marketplace/:itemId', page: lazyPage(() => import('./features/products/EditorPage.tsx').then((m) => m.EditorPage)) },
  { path: '/dashboard/settings', page: lazyPage(() => import('./features/settings/SettingsPage.tsx').then((m) => m.SettingsPage)) },
  {
    path: '/dashboard/how-it-works',
    page: lazyPage(() => import('./features/dashboard/HowItWorksPage.tsx').then((m) => m.HowItWorksPage)),
  },
]

const leads: Record<string, string> = { '/dashboard/seller': paths.dashboard, '/dashboard/integrations': paths.settings }

/** Addresses that the server answers with the app itself; a placeholder stands for one part of the address. */
export const appRoutes = [...publicPages, ...sellerPages].map(({ path }) => path).concat(Object.keys(leads))

export function AppRoutes(): ReactNode {
  return (
    <Routes>
      {publicPages.map(({ path, page: Page }) => (
        <Route key={path} path={path} element={<Page />} />
      ))}
      <Route element={<Shell />}>
        {sellerPages.map(({ path, page: Page }) => (
          <Route key={path} path={path} element={<Page />} />
        ))}
        {Object.entries(leads).map(([path, to]) => (
          <Route key={path} path={path} element={<Navigate to={to} replace />} />
        ))}
      </Route>
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

/** Fetches the code of the page at this address. */
export async function preload(pathname: string) {
  const seller = sellerPages.find((route) => matchPath(route.path, pathname))
  if (seller) return Promise.all([Shell.preload(), seller.page.preload()])
  const open = publicPages.find((route) => matchPath(route.path, pathname))
  return (open?.page ?? (leads[pathname] ? Shell : NotFound)).preload()
}
