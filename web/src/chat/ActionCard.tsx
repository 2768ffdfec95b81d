import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { ProposedAction } from '../api/ai.ts'
import { call } from '../api/call.ts'
import { Button, ButtonLink } from '../ui/Button.tsx'
import { Markdown } from '../ui/Markdown.tsx'
import { Alert, Pill } from '../ui/Panel.tsx'
import { toast } from '../ui/toast.tsx'
import { CopyTool } from './MessageItem.tsx'
import { type Failure, failureOf } from './outcome.ts'
import { Sources } from './Sources.tsx'

export type Action = Pick<ProposedAction, 'id' | 'kind' | 'title' | 'description' | 'input' | 'prompts' | 'state' | 'result' | 'link'>
type Done = { result: string; link: string | null }

type Props = { action: Action; onMark: (state: 'proposed' | 'dismissed') => Promise<void> }

/** What would be done, with what, and what it costs. It runs once the person says so, under their own rights. */
export function ActionCard({ action, onMark }: Props) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [dismissed, setDismissed] = useState(action.state === 'dismissed')
  const [problem, setProblem] = useState<Failure | null>(null)
  const [done, setDone] = useState<Done | null>(action.state === 'done' ? { result: action.result ?? '', link: action.link } : null)

  async function approve() {
    setBusy(true)
    setProblem(null)
    try {
      const reply = await call('ai-run-action', { action_id: action.id }, { idempotencyKey: action.id })
      setDone(reply)
      for (const key of ['activity', 'ai-usage', 'ai-actions']) void queries.invalidateQueries({ queryKey: [key] })
      if (action.kind === 'navigate' && reply.link) navigate(reply.link)
    } catch (error) {
      setProblem(failureOf(error))
    } finally {
      setBusy(false)
    }
  }
  async function mark(state: 'proposed' | 'dismissed') {
    setDismissed(state === 'dismissed')
    try {
      await onMark(state)
      if (state === 'dismissed') toast.undo('Proposal dismissed', () => mark('proposed'))
    } catch (error) {
      setDismissed(state !== 'dismissed')
      toast.error('That was not kept', (error as Error).message)
    }
  }

  if (dismissed) return null
  const { words, sources } = parted(done?.result ?? '')
  return (
    <section aria-label={`Proposed: ${action.title}`} className="rounded-panel p-4 hairline">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 text-13 font-semibold break-words">{action.title}</h3>
        {done ? <Pill tone="good">Done</Pill> : <Pill>{cost(action.prompts)}</Pill>}
      </div>
      <p className="mt-1 text-13 text-muted">{action.description}.</p>
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-12">
        {Object.entries(action.input).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint first-letter:uppercase">{name}</dt>
            <dd className="font-mono break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {problem ? (
        <Alert title={problem.title} className="mt-3">
          {problem.words}
        </Alert>
      ) : null}
      {done ? (
        <div className="mt-3 border-t border-line pt-3">
          <Markdown className="text-13">{words}</Markdown>
          {sources.length ? (
            <div className="mt-3">
              <Sources links={sources} />
            </div>
          ) : null}
          <div className="mt-2 flex items-center gap-1">
            <CopyTool text={done.result} />
            {done.link ? <ButtonLink to={done.link}>Open</ButtonLink> : null}
          </div>
        </div>
      ) : (
        <div className="mt-3 flex gap-2">
          <Button variant="primary" busy={busy ? 'Running' : false} onClick={approve}>
            {problem ? 'Try again' : 'Approve'}
          </Button>
          <Button disabled={busy} onClick={() => mark('dismissed')}>
            Dismiss
          </Button>
        </div>
      )}
    </section>
  )
}

/** A result of research ends with its sources, one a line. */
function parted(result: string) {
  const lines = result.split('\n')
  const sources = lines.flatMap((line) => /^Source: (\S+)$/.exec(line)?.[1] ?? [])
  return { words: lines.filter((line) => !/^Source: \S+$/.test(line)).join('\n'), sources }
}

const cost = (prompts: number) => (prompts === 0 ? 'Costs nothing' : prompts === 1 ? 'Costs 1 prompt' : `Costs ${prompts} prompts`)
