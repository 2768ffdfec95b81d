import { useQuery } from '@tanstack/react-query'
import { loadBackend } from '../../api/session.ts'
import { contentSamples } from '../../content/prompts.ts'
import { Stat, StatRow } from '../../ui/Data.tsx'
import { ErrorState, Panel, SamplePill } from '../../ui/Panel.tsx'

type Piece = { content: string; state: string; created_at: string }

/** The account's own pieces, counted; the samples until there is one. */
export function ContentStats() {
  const pieces = useQuery({
    queryKey: ['ai-conversations', 'content-pieces'],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      const conversations = await rows<{ id: string }[]>(
        rest.from('ai_conversations').select('id').eq('feature', 'content').order('updated_at', { ascending: false }).limit(100),
      )
      if (conversations.length === 0) return []
      return rows<Piece[]>(
        rest
          .from('ai_messages')
          .select('content,state,created_at')
          .eq('role', 'assistant')
          .in(
            'conversation_id',
            conversations.map(({ id }) => id),
          ),
      )
    },
  })
  const written = pieces.data?.filter(({ content, state }) => content && state !== 'streaming' && state !== 'failed') ?? []
  const sampled = pieces.data !== undefined && written.length === 0
  return (
    <section aria-labelledby="content-stats">
      <h2 id="content-stats" className="mb-3 flex items-center gap-2 text-16 font-semibold">
        Your writing
        {sampled ? <SamplePill /> : null}
      </h2>
      {pieces.isError ? (
        <Panel flush>
          <ErrorState title="The figures could not be loaded" error={pieces.error} retry={() => pieces.refetch()} />
        </Panel>
      ) : (
        <StatRow>
          {(sampled ? contentSamples : figures(written)).map((stat) => (
            <Stat key={stat.label} {...stat} loading={pieces.isPending} />
          ))}
        </StatRow>
      )}
    </section>
  )
}

function figures(pieces: Piece[]) {
  const words = pieces.reduce((sum, { content }) => sum + content.split(/\s+/).filter(Boolean).length, 0)
  const finished = pieces.filter(({ state }) => state === 'complete').length
  const month = new Date().toISOString().slice(0, 7)
  return [
    { label: 'Pieces written', value: pieces.length.toLocaleString('en-US') },
    { label: 'Words written', value: words >= 10_000 ? `${Math.round(words / 1000)}k` : words.toLocaleString('en-US') },
    { label: 'Finished as asked', value: pieces.length ? `${Math.round((finished / pieces.length) * 100)}%` : '–' },
    { label: 'This month', value: String(pieces.filter(({ created_at }) => created_at.startsWith(month)).length) },
  ]
}
