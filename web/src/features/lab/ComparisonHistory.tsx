import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Comparison, remove } from '../../api/ai.ts'
import { loadBackend } from '../../api/session.ts'
import { useHidden } from '../../chat/useHidden.ts'
import { modelName } from '../../content/models.ts'
import { IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ago } from '../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill } from '../../ui/Panel.tsx'

type Props = { current: string | null; disabled: boolean; onShow: (comparison: Comparison) => void }

export function ComparisonHistory({ current, disabled, onShow }: Props) {
  const [search, setSearch] = useState('')
  const hidden = useHidden('ai_comparisons', ['ai-comparisons'])
  const list = useQuery({
    queryKey: ['ai-comparisons'],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<Comparison[]>(rest.from('ai_comparisons').select().order('created_at', { ascending: false }).limit(50))
    },
  })
  const found = list.data?.filter(({ id, prompt }) => !hidden.has(id) && prompt.toLowerCase().includes(search.toLowerCase()))
  return (
    <Panel
      title="Earlier comparisons"
      flush
      actions={
        list.data?.length ? (
          <input
            type="search"
            aria-label="Search comparisons"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            className="h-8 w-40 rounded-control border border-control/70 bg-page px-2.5 text-13 max-md:h-11"
          />
        ) : null
      }
    >
      <Asked query={list} skeleton="m-4 h-16" failed="Your comparisons could not be loaded" />
      {found?.length === 0 ? (
        <EmptyState compact title={search ? 'No matches' : 'No comparisons yet'}>
          {search ? 'Search looks in the prompts only.' : 'Each run is kept with its answers, times, cost and your vote.'}
        </EmptyState>
      ) : null}
      <ul className="max-h-72 divide-y divide-line overflow-y-auto">
        {found?.map((comparison) => (
          <li key={comparison.id} className={cx('flex items-center pr-2', comparison.id === current ? 'bg-raised' : 'hover:bg-raised')}>
            <button
              type="button"
              disabled={disabled}
              aria-current={comparison.id === current || undefined}
              onClick={() => onShow(comparison)}
              className="flex min-h-10 min-w-0 flex-1 items-center gap-3 px-4 text-left text-13 outline-offset-[-2px]"
            >
              <span className="min-w-0 flex-1 truncate">{comparison.prompt}</span>
              {comparison.vote === null ? null : (
                <Pill className="max-sm:hidden">{modelName(comparison.lanes[comparison.vote]?.model ?? '')}</Pill>
              )}
              <span className="font-mono text-12 text-faint tabular">{ago(comparison.created_at)}</span>
            </button>
            <IconButton
              label="Delete this comparison"
              onClick={() => hidden.removeSoon(comparison.id, 'Comparison deleted', () => remove('ai_comparisons', comparison.id))}
            >
              <Trash2 />
            </IconButton>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
