import { texts } from '@operon/contracts/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Comparison, streamCompare } from '../../api/ai.ts'
import { call } from '../../api/call.ts'
import { type LaneState, running } from '../../chat/lane.ts'
import { isLimit } from '../../chat/useConversation.ts'
import { labModels } from '../../content/models.ts'
import { toast } from '../../ui/toast.tsx'

export type Run = { id: string | null; prompt: string; lanes: LaneState[]; vote: number | null }

const end = (comparison_id: string, lane?: number) =>
  call('ai-compare-stop', { comparison_id, lane }).catch((error: Error) => toast.error('It could not be stopped', error.message))

const lane = (model: string, state: LaneState['state']): LaneState => ({
  model,
  state,
  content: '',
  answeredBy: null,
  sandbox: false,
  firstMs: null,
  ms: null,
  usage: null,
})
const emptyRun: Run = { id: null, prompt: '', lanes: labModels.map(({ id }) => lane(id, 'idle')), vote: null }
const failure = (message: string) => `Error: ${message.replace(/\.$/, '') || texts.labUnableToConnect}${texts.labCheckKey}`
/** Why no answer of this run came. */
type Broken = { title: string; text: string; atLimit: boolean }

/** Four answers as they are written; each lane ends by itself. */
export function useCompare() {
  const queries = useQueryClient()
  const [run, setRun] = useState<Run>(emptyRun)
  const [broken, setBroken] = useState<Broken | null>(null)
  const watch = useRef<AbortController>(undefined)
  // Its id, and the lanes that were stopped before it had one to say it by.
  const begun = useRef<{ id: string | null; early: number[] }>({ id: null, early: [] })
  useEffect(() => () => watch.current?.abort(), [])

  async function compare(prompt: string) {
    const control = new AbortController()
    watch.current = control
    begun.current = { id: null, early: [] }
    setBroken(null)
    let next: Run = { id: null, prompt, lanes: labModels.map(({ id }) => lane(id, 'waiting')), vote: null }
    let frame = 0
    const draw = () => {
      frame = 0
      if (!control.signal.aborted) setRun(next)
    }
    const change = (at: number, changes: Partial<LaneState>) => {
      next = { ...next, lanes: next.lanes.map((each, index) => (index === at ? { ...each, ...changes } : each)) }
      frame ||= requestAnimationFrame(draw)
    }
    setRun(next)
    try {
      let ended = false
      for await (const { event, data } of streamCompare(
        prompt,
        labModels.map(({ id }) => id),
        control.signal,
      )) {
        // Drawn at once: from now on it can be stopped before the first word.
        if (event === 'start') {
          next = { ...next, id: data.comparison_id }
          setRun(next)
          for (const at of begun.current.early) void end(data.comparison_id, at)
          begun.current.id = data.comparison_id
        } else if (event === 'first')
          change(data.lane, { state: 'writing', answeredBy: data.answered_by, sandbox: data.sandbox, firstMs: data.ms })
        else if (event === 'delta') change(data.lane, { content: next.lanes[data.lane]!.content + data.text })
        else if (event === 'done')
          change(data.lane, {
            state: data.stopped ? 'stopped' : 'complete',
            ms: data.ms,
            usage: data.usage,
            content: next.lanes[data.lane]!.content || (data.stopped ? '' : texts.noResponse),
          })
        else if (event === 'error')
          change(data.lane, data.content ? { state: 'cut', content: data.content } : { state: 'failed', content: failure(data.message) })
        else if (event === 'end') {
          ended = true
          if (data.answered === labModels.length) toast.success(texts.allResponded)
          if (data.answered === 0 && next.lanes.every(({ state }) => state === 'failed')) toast.error(texts.labFailedResponses)
        }
      }
      if (!ended) throw new Error('The connection broke while the answers were written.')
    } catch (error) {
      if (control.signal.aborted) return
      const written = next.lanes.some(({ content }) => content)
      next = {
        ...next,
        lanes: next.lanes.map((each) =>
          running(each)
            ? each.content
              ? { ...each, state: 'cut' }
              : { ...each, state: 'failed', content: failure((error as Error).message) }
            : each,
        ),
      }
      if (!written) setBroken({ title: texts.labErrorPrompt, text: (error as Error).message, atLimit: isLimit(error) })
      if (isLimit(error)) next = { ...next, lanes: emptyRun.lanes }
      toast.error(texts.labFailedResponses, (error as Error).message)
    } finally {
      cancelAnimationFrame(frame)
      draw()
      for (const key of ['ai-comparisons', 'ai-usage', 'activity']) void queries.invalidateQueries({ queryKey: [key] })
    }
  }

  async function stop(at?: number) {
    const { id, early } = begun.current
    if (id) return end(id, at)
    if (at !== undefined) return void early.push(at)
    watch.current?.abort()
    setRun((before) => ({ ...before, lanes: before.lanes.map((each) => (running(each) ? { ...each, state: 'stopped' } : each)) }))
  }

  async function vote(at: number) {
    if (!run.id) return
    const before = run.vote
    setRun({ ...run, vote: at })
    try {
      await call('ai-compare-vote', { comparison_id: run.id, lane: at })
      void queries.invalidateQueries({ queryKey: ['ai-comparisons'] })
    } catch (error) {
      setRun((now) => ({ ...now, vote: before }))
      toast.error('Your vote was not kept', (error as Error).message)
    }
  }

  const show = ({ id, prompt, lanes, vote }: Comparison) => {
    setBroken(null)
    setRun({
      id,
      prompt,
      vote,
      lanes: lanes.map((kept) => ({
        model: kept.model,
        state: kept.state as LaneState['state'],
        content: kept.state === 'failed' ? failure(kept.error ?? '') : kept.content || (kept.state === 'complete' ? texts.noResponse : ''),
        answeredBy: kept.answered_by,
        sandbox: kept.sandbox,
        firstMs: kept.first_ms,
        ms: kept.ms,
        usage: kept.state === 'failed' ? null : kept,
      })),
    })
  }

  return { run, broken, busy: run.lanes.some(running), compare, stop, vote, show }
}
