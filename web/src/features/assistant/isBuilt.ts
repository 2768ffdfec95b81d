import { navItems } from '../../shell/nav.ts'

/** The sidebar names what is built, and nothing else. */
export const isBuilt = (path: string) => navItems.some((item) => item.path === path)
