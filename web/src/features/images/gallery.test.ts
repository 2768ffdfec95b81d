import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import type { Picture } from '../../pictures/picture.ts'
import { type Filter, galleryOf } from './gallery.ts'

const picture = (n: number, more: Partial<Picture> = {}) => ({ id: String(n).padStart(5, '0'), saved: false, ...more }) as Picture
const idsOf = (pictures: Picture[]) => pictures.map(({ id }) => Number(id))

/** Pictures 20 down to 1, five a page, all of them scrolled through. */
async function opened(filter: Partial<Filter> = {}) {
  const queries = new QueryClient()
  const queryKey = ['list-images', { q: '', saved: false, board: '', ...filter }]
  let asked = 0
  const observer = new InfiniteQueryObserver(queries, {
    queryKey,
    queryFn: async ({ pageParam }) => {
      asked++
      const pictures = [0, 1, 2, 3, 4].map((n) => picture(pageParam - n, { saved: true }))
      return { pictures, next: pageParam > 5 ? String(pageParam - 5) : null }
    },
    initialPageParam: 20,
    getNextPageParam: ({ next }) => (next === null ? null : Number(next)),
    staleTime: 60_000,
  })
  const stop = observer.subscribe(() => {})
  await expect.poll(() => asked).toBe(1)
  await expect.poll(() => observer.getCurrentResult().isSuccess).toBe(true)
  for (let page = 1; page < 4; page++) await observer.fetchNextPage()
  const shown = () => observer.getCurrentResult().data!.pages.flatMap(({ pictures }) => pictures as Picture[])
  return { gallery: galleryOf(queries), shown, asked: () => asked, stop }
}

test('what is saved, deleted, made or brought back changes in its place, and no page is asked for again', async () => {
  const { gallery, shown, asked, stop } = await opened()
  gallery.change('00007', { shared: true })
  expect(shown().filter(({ shared }) => shared)).toMatchObject([{ id: '00007' }])
  gallery.drop('00007')
  gallery.put([picture(21), picture(22)])
  expect(idsOf(shown()).slice(0, 3)).toEqual([22, 21, 20])
  expect(idsOf(shown())).not.toContain(7)
  gallery.put([picture(7), picture(0)])
  expect(idsOf(shown())).toEqual(Array.from({ length: 23 }, (_, n) => 22 - n))
  expect(asked()).toBe(4)
  stop()
})

test('a picture that is saved no more leaves the saved ones, and what a filter decides is asked of the server', async () => {
  const { gallery, shown, asked, stop } = await opened({ saved: true })
  gallery.change('00007', { saved: false })
  expect(idsOf(shown())).not.toContain(7)
  expect(asked()).toBe(4)
  gallery.put([picture(21)])
  await expect.poll(asked).toBe(8)
  stop()
})
