import { type ComponentType, createElement, type ReactNode, use } from 'react'

export type LazyPage = ComponentType & { preload: () => Promise<unknown> }
/** The page to show instead when there is nothing for this visitor: the router hands it in, so that features stay apart. */
export type Otherwise = { otherwise: ReactNode }

/** Code that did not come: the network is cut, or a deploy has replaced it. */
export class ChunkError extends Error {}

const failed = new Set<() => void>()
/** Lets everything that did not come be asked for again. */
export function forgetFailedChunks() {
  for (const forget of failed) forget()
  failed.clear()
}

/** A component in a chunk of its own. Once loaded it renders without suspending, so hydration finds what the server drew. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> & { preload: () => Promise<unknown> } {
  let loaded: ComponentType<P> | undefined
  let loading: Promise<ComponentType<P>> | undefined
  const forget = () => {
    loading = undefined
  }
  // A failure is kept until it is forgotten: asked for anew by each render it would never come to rest.
  const get = () => {
    loading ??= load().then(
      (part) => {
        loaded = part
        return part
      },
      (cause) => {
        failed.add(forget)
        throw new ChunkError('A part of the app could not be loaded', { cause })
      },
    )
    return loading
  }
  const preload = () => {
    if (failed.delete(forget)) forget()
    return get()
  }
  // biome-ignore lint/correctness/noComponentHookFactories: made at module level, once a part
  const Part = (props: P) => createElement(loaded ?? use(get()), props)
  return Object.assign(Part, { preload })
}

export function lazyPage(load: () => Promise<ComponentType<Otherwise>>, otherwise?: LazyPage): LazyPage {
  const Part = lazyPart(load)
  // biome-ignore lint/correctness/noComponentHookFactories: made at module level, once a page
  const Page = () => createElement(Part, { otherwise: otherwise ? createElement(otherwise) : null })
  return Object.assign(Page, { preload: Part.preload })
}
