import { type ComponentType, createElement, lazy } from 'react'

export type LazyPage = ComponentType & { preload: () => Promise<unknown> }

/** A page in a chunk of its own. Once loaded it renders without suspending, so hydration finds what the server drew. */
export function lazyPage(load: () => Promise<ComponentType>): LazyPage {
  let loaded: ComponentType | undefined
  let loading: Promise<ComponentType> | undefined
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
  const Page = () => createElement(loaded ?? Lazy)
  return Object.assign(Page, { preload })
}
