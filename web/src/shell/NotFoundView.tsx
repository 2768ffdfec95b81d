import { lazyPage } from '../lazyPage.tsx'

/** The not-found page, for who may not know that there is something at this address. */
export const NotFoundView = lazyPage(() => import('../features/notFound/NotFoundPage.tsx').then((m) => m.NotFoundPage))
