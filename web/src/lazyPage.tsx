import { type ComponentType, createElement, lazy, type ReactNode } from 'react'

export type LazyPage = ComponentType & { preload: () => Promise<unknown> }
/** What a page shows in its place when it has nothing for this visitor: the router hands it in, so that features stay apart. */
export type Otherwise = { otherwise: ReactNode }

/** A page in a chunk of its own. Once loaded it renders without suspending, so hydration finds what the server drew. */
export function lazyPage(load: () => Promise<ComponentType<Otherwise>>, otherwise?: LazyPage): LazyPage {
  let loaded: ComponentType<Otherwise> | undefined
  let loading: Promise<ComponentType<Otherwise>> | undefined
  const preload = () => {
    loading ??= load().then(
      (page) => {
        loaded = page
        return page
      },
      (error) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  const Lazy = lazy(() => preload().then((page) => ({ default: page })))
  // biome-ignore lint/correctness/noComponentHookFactories: made at module level, once a page
  const Page = () => createElement(loaded ?? Lazy, { otherwise: otherwise ? createElement(otherwise) : null })
  return Object.assign(Page, { preload })
}
