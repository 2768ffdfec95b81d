import type { AppPage } from '../api/ai.ts'
import { paths } from '../paths.ts'
import { navItems } from './nav.ts'

/** Where an assistant can lead: what the sidebar names, and the settings. */
export const appPages = (product: string): AppPage[] => [
  ...navItems.map(({ path, title }) => ({ path, name: title.replace('{product}', product) })),
  { path: paths.settings, name: 'Settings' },
]
