import type { CallReply } from '@operon/contracts/calls'
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Picture } from '../../pictures/picture.ts'

export type Filter = { q: string; saved: boolean; board: string }
type Page = CallReply<'list-images'>
type List = InfiniteData<Page>

const KEY = ['list-images']
/** Asked for anew when its window is come back to, it is as many calls as it has pages. */
export const FEW_PAGES = 5

/**
 * Changes of the gallery, made where it is shown: asked for anew it would be every page that was scrolled through, one after the other,
 * which are 167 of ten thousand pictures.
 */
export function galleryOf(queries: QueryClient) {
  function each(act: (list: List, filter: Filter) => List | null) {
    queries.removeQueries({ queryKey: KEY, type: 'inactive' })
    for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: KEY })) {
      const filter = queryKey[1] as Filter
      // An answer that is on its way would write over the change.
      const list = state.fetchStatus === 'idle' && filter.saved !== undefined ? (state.data as List | undefined) : undefined
      const next = list && act(list, filter)
      if (next) queries.setQueryData(queryKey, next)
      else void queries.invalidateQueries({ queryKey, exact: true })
    }
    void queries.invalidateQueries({ queryKey: ['image-stats'] })
  }
  return {
    change: (id: string, part: Partial<Picture>) =>
      each((list, { saved }) =>
        mapped(list, (picture) => (picture.id !== id ? picture : saved && part.saved === false ? null : { ...picture, ...part })),
      ),
    drop: (id: string) => each((list) => mapped(list, (picture) => (picture.id === id ? null : picture))),
    /** Where they belong by their age. A filter is the server's to apply. */
    put: (pictures: Picture[]) => each((list, { q, saved, board }) => (q || saved || board ? null : pictures.reduce(placed, list))),
  }
}

const mapped = (list: List, change: (picture: Picture) => Picture | null): List => ({
  ...list,
  pages: list.pages.map((page) => ({ ...page, pictures: page.pictures.flatMap((picture) => change(picture) ?? []) })),
})

function placed(list: List, picture: Picture): List {
  const known = mapped(list, (other) => (other.id === picture.id ? null : other))
  const at = known.pages.findIndex(({ pictures, next }) => next === null || (pictures.at(-1)?.id ?? '') < picture.id)
  // Further down than what was loaded: it comes with its page.
  if (at < 0) return known
  const newestFirst = (one: Picture, other: Picture) => (one.id < other.id ? 1 : -1)
  const pages = known.pages.map((page, n) => (n === at ? { ...page, pictures: [...page.pictures, picture].toSorted(newestFirst) } : page))
  return { ...known, pages }
}
