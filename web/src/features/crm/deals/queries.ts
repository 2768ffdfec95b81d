import type { CallReply } from '@operon/contracts/calls'
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { call, useCall } from '../../../api/call.ts'
import { useLive } from '../../../api/live.ts'
import { attempt, toast } from '../../../ui/toast.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { newKey, useRefresh } from '../queries.ts'

export type Board = CallReply<'show-board'>
export type Stage = Board['stages'][number]
export type Deal = Stage['deals'][number]
export type Pipeline = Board['pipelines'][number]

export const states = ['open', 'won', 'lost'] as const
export const sorts = ['newest', 'closing', 'amount'] as const
export const sortNames = { newest: 'Newest first', closing: 'Expected close', amount: 'Largest first' }

export function useDealAddress() {
  const { search, change } = useSearch()
  const one = <T extends string>(name: string, of: readonly T[]) => of.find((each) => each === search.get(name))
  return {
    view: one('view', ['list']) ?? 'board',
    pipeline: search.get('pipeline') ?? undefined,
    query: search.get('dq') ?? '',
    state: one('dstate', states),
    sort: one('dsort', sorts) ?? 'newest',
    change,
  }
}
export type DealAddress = ReturnType<typeof useDealAddress>

export function useBoard(pipeline_id?: string) {
  useLive('deals', useRefresh())
  return useCall('show-board', pipeline_id ? { pipeline_id } : {}, {
    key: ['crm', 'board', pipeline_id ?? ''],
    placeholderData: keepPreviousData,
    retry: false,
  })
}

type Filter = { query?: string; state?: Deal['state'] | undefined; stage_id?: string; contact_id?: string; sort?: (typeof sorts)[number] }
export const useDeals = ({ query, state, sort = 'newest', ...own }: Filter, limit = 50) => {
  const asked = { ...own, sort, limit, ...(query && { query: query.slice(0, 100) }), ...(state && { state }) }
  return useInfiniteQuery({
    queryKey: ['crm', 'deals', asked],
    queryFn: ({ pageParam, signal }) => call('find-deals', { ...asked, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
  })
}
export const rowsOf = (data: InfiniteData<CallReply<'find-deals'>> | undefined) => data?.pages.flatMap((page) => page.deals) ?? []

export const useDeal = (deal_id: string) => useCall('show-deal', { deal_id }, { key: ['crm', 'deal', deal_id], retry: false })

/** Moves and closes deals, each with its way back. The board shows a move at once, and takes it back where it fails. */
export function useDealMoves() {
  const queries = useQueryClient()
  const refresh = useRefresh()
  const withUndo = (title: string, change_id: string) =>
    toast.undo(title, () =>
      attempt('It was not undone', async () => {
        await call('undo-deal-change', { change_id }, { idempotencyKey: newKey() })
        await refresh()
      }),
    )
  async function move(deal: Deal, stage: { id: string; name: string }) {
    await queries.cancelQueries({ queryKey: ['crm', 'board'] })
    queries.setQueriesData<Board>({ queryKey: ['crm', 'board'] }, (board) => board && moved(board, deal, stage.id))
    await attempt(`${deal.title} was not moved`, async () => {
      const { change_id } = await call('move-deal', { deal_id: deal.id, stage_id: stage.id }, { idempotencyKey: newKey() })
      withUndo(`${deal.title} moved to ${stage.name}`, change_id)
    })
    await refresh()
  }
  async function close(deal: Deal, won: boolean, reason = '') {
    const isDone = await attempt(`${deal.title} was not changed`, async () => {
      const { change_id } = await call('close-deal', { deal_id: deal.id, won, reason }, { idempotencyKey: newKey() })
      withUndo(`${deal.title} ${won ? 'won' : 'lost'}`, change_id)
    })
    await refresh()
    return isDone
  }
  return { move, close }
}

/** The board as it is after a deal moved to another of its stages. */
export function moved(board: Board, deal: Deal, stageId: string): Board {
  if (deal.state !== 'open' || deal.stage_id === stageId || !board.stages.some(({ id }) => id === stageId)) return board
  const sum = (stage: Stage, sign: 1 | -1) => {
    const others = stage.totals.filter(({ currency }) => currency !== deal.currency)
    const before = stage.totals.find(({ currency }) => currency === deal.currency)?.amount_cents ?? 0
    return [...others, { currency: deal.currency, amount_cents: before + sign * deal.amount_cents }].filter(
      ({ amount_cents }) => amount_cents,
    )
  }
  return {
    ...board,
    stages: board.stages.map((stage) => {
      if (stage.id === deal.stage_id)
        return { ...stage, count: stage.count - 1, totals: sum(stage, -1), deals: stage.deals.filter(({ id }) => id !== deal.id) }
      if (stage.id === stageId)
        return { ...stage, count: stage.count + 1, totals: sum(stage, 1), deals: [{ ...deal, stage_id: stageId }, ...stage.deals] }
      return stage
    }),
  }
}
