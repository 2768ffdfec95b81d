import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { refresh } from './refresh.ts'

test('a line that comes while the list is loading is in the list', async () => {
  const queries = new QueryClient()
  const table = ['first']
  const answers: PromiseWithResolvers<string[]>[] = []
  const observer = new QueryObserver(queries, {
    queryKey: ['activity', 'ann'],
    queryFn: () => {
      const [seen, answer] = [[...table], Promise.withResolvers<string[]>()]
      answers.push({ ...answer, resolve: () => answer.resolve(seen) })
      return answer.promise
    },
  })
  const stop = observer.subscribe(() => {})
  expect(answers).toHaveLength(1)
  // The server has read the list, its answer is on the way, and another line happens.
  table.push('second')
  const refreshing = refresh(queries, ['activity', 'ann'])
  await expect.poll(() => answers.length).toBe(2)
  for (const answer of answers) answer.resolve([])
  await refreshing
  expect(observer.getCurrentResult().data).toEqual(['first', 'second'])
  stop()
})
