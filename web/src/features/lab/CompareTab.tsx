import { inputLimits } from '@operon/contracts/ai-gateway/limits'
import { compareStarters } from '@operon/contracts/ai-gateway/starters'
import { BookMarked, FoldVertical, UnfoldVertical } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { LaneCard } from '../../chat/LaneCard.tsx'
import type { LaneState } from '../../chat/lane.ts'
import { PromptLibrary } from '../../chat/PromptLibrary.tsx'
import { StopButton } from '../../chat/StopButton.tsx'
import { tooLong } from '../../chat/tooLong.ts'
import { useInputLimit } from '../../chat/useInputLimit.ts'
import { modelName } from '../../content/models.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink, IconButton } from '../../ui/Button.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { Alert, Panel, Pill } from '../../ui/Panel.tsx'
import { ComparisonHistory } from './ComparisonHistory.tsx'
import { Estimate } from './Estimate.tsx'
import type { Seed } from './LabChat.tsx'
import type { useCompare } from './useCompare.ts'
import { useKeptComparison } from './useKeptComparison.ts'

type Props = { comparison: ReturnType<typeof useCompare>; onContinue: (seed: Seed) => void }

export function CompareTab({ comparison, onContinue }: Props) {
  const { run, broken, busy } = comparison
  const [prompt, setPrompt] = useState('')
  const [library, setLibrary] = useState(false)
  const refused = tooLong(prompt, useInputLimit(prompt, inputLimits.compare))
  const [whole, setWhole] = useState(false)
  const [search] = useSearchParams()
  const kept = useKeptComparison(search.get('comparison'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: shown once, when it is there
  useEffect(() => {
    if (!kept || busy) return
    comparison.show(kept)
    setPrompt(kept.prompt)
  }, [kept])

  function submit(event?: FormEvent) {
    event?.preventDefault()
    if (prompt.trim() && !busy && !refused) void comparison.compare(prompt.trim())
  }

  return (
    <div className="flex flex-col gap-6 pt-6">
      <Panel>
        <form onSubmit={submit} className="flex flex-col gap-3">
          <TextArea
            label="Prompt"
            placeholder="Ask all four the same thing"
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
            onKeyDown={(event) => (event.ctrlKey || event.metaKey) && event.key === 'Enter' && submit()}
            rows={3}
            error={refused ?? undefined}
          />
          <div className="flex flex-wrap items-center gap-2">
            <Button type="submit" variant="primary" disabled={!prompt.trim() || refused !== null} busy={busy ? 'Asking all four' : false}>
              Compare All
            </Button>
            {busy ? <StopButton label="Stop all" onStop={() => comparison.stop()} /> : null}
            <IconButton label="Prompt library" onClick={() => setLibrary(true)}>
              <BookMarked />
            </IconButton>
            <Estimate text={prompt} />
            <span className="ml-auto text-12 text-faint max-md:hidden">Ctrl Enter compares</span>
          </div>
          {run.prompt ? null : (
            <ul className="flex flex-wrap gap-2">
              {compareStarters.map((starter) => (
                <li key={starter}>
                  <button
                    type="button"
                    onClick={() => setPrompt(starter)}
                    className="min-h-7 rounded-control px-2 py-1 text-left text-12 text-muted hairline hover:bg-raised hover:text-text max-md:min-h-10"
                  >
                    {starter}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </form>
      </Panel>
      {run.prompt ? (
        <div className="-mb-2 flex flex-wrap items-center gap-2 text-13 text-muted">
          Answers to
          <Pill className="max-w-full">
            <span className="truncate">{run.prompt.slice(0, 50)}</span>
          </Pill>
          <Button variant="ghost" className="ml-auto" aria-pressed={whole} onClick={() => setWhole(!whole)}>
            {whole ? <FoldVertical /> : <UnfoldVertical />}
            {whole ? 'Collapse the answers' : 'Show full answers'}
          </Button>
        </div>
      ) : null}
      {broken ? (
        <Alert title={broken.title}>
          {broken.text} Answers that did not come use no prompt.
          {broken.atLimit ? (
            <ButtonLink to={paths.pricing} className="mt-2 flex w-fit">
              See plans
            </ButtonLink>
          ) : null}
        </Alert>
      ) : null}
      {/* Side by side on a phone too: a swipe compares, a long page does not. */}
      <div className="gap-4 max-md:-mx-4 max-md:flex max-md:snap-x max-md:snap-mandatory max-md:scroll-px-4 max-md:overflow-x-auto max-md:px-4 md:grid md:grid-cols-2 2xl:grid-cols-4">
        {run.lanes.map((lane, at) => (
          <LaneCard
            key={lane.model}
            lane={lane}
            at={at}
            whole={whole}
            best={bestOf(run.lanes, at)}
            voted={run.vote === at}
            canVote={Boolean(run.id) && !busy}
            onStop={() => comparison.stop(at)}
            onVote={() => comparison.vote(at)}
            onContinue={() => onContinue({ model: lane.model, name: modelName(lane.model), prompt: run.prompt, answer: lane })}
          />
        ))}
      </div>
      <ComparisonHistory
        current={run.id}
        disabled={busy}
        onShow={(kept) => {
          comparison.show(kept)
          setPrompt(kept.prompt)
        }}
      />
      {library ? (
        <PromptLibrary
          draft={prompt}
          onClose={() => setLibrary(false)}
          onUse={(body) => {
            setPrompt(body)
            setLibrary(false)
          }}
        />
      ) : null}
    </div>
  )
}

/** The marks of a lane that is ahead, once all four have answered. */
function bestOf(lanes: LaneState[], at: number): ('fastest' | 'cheapest')[] {
  if (lanes.some(({ state }) => state !== 'complete')) return []
  const { ms, usage } = lanes[at]!
  const fastest = ms !== null && lanes.every((lane) => lane.ms === null || lane.ms >= ms)
  // A model of one's own may have no price, and then none is the cheapest.
  const cheapest =
    usage !== null &&
    lanes.some((lane) => lane.usage?.cost_microusd) &&
    lanes.every((lane) => lane.usage === null || lane.usage.cost_microusd >= usage.cost_microusd)
  return [...(fastest ? ['fastest' as const] : []), ...(cheapest ? ['cheapest' as const] : [])]
}
