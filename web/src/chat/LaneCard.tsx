import { texts } from '@operon/contracts/messages'
import { Copy, MessageSquareText, Square, ThumbsUp } from 'lucide-react'
import { modelName, RECORDED } from '../content/models.ts'
import { Button } from '../ui/Button.tsx'
import { copyText } from '../ui/copy.ts'
import { cx } from '../ui/cx.ts'
import { Busy } from '../ui/Mark.tsx'
import { Markdown } from '../ui/Markdown.tsx'
import { Pill } from '../ui/Panel.tsx'
import { drawable } from './drawable.ts'
import { type LaneState, running } from './lane.ts'
import { cost, seconds } from './message.ts'

const colours = ['bg-signal-text', 'bg-info', 'bg-violet', 'bg-warn']
type Props = {
  lane: LaneState
  at: number
  best?: readonly ('fastest' | 'cheapest')[]
  voted: boolean
  canVote: boolean
  onStop: () => void
  onVote: () => void
  onContinue: () => void
  /** The whole answer instead of a window on it. */
  whole?: boolean
}

export function LaneCard({ lane, at, best = [], voted, canVote, onStop, onVote, onContinue, whole: unfolded }: Props) {
  const name = modelName(lane.model)
  const answered = !running(lane) && lane.state !== 'idle'
  const usable = answered && lane.state !== 'failed' && lane.content !== ''
  return (
    <article
      aria-label={name}
      aria-busy={running(lane)}
      className="flex min-w-0 flex-col rounded-panel bg-panel hairline max-md:w-[86%] max-md:shrink-0 max-md:snap-start"
    >
      <header className="flex min-h-14 items-center gap-2.5 border-b border-line px-4 py-1.5">
        <span aria-hidden="true" className={cx('h-1.5 w-5 shrink-0 rounded-full', colours[at])} />
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h2 className="text-14 font-semibold">{name}</h2>
            {lane.sandbox ? <Pill>Sandbox answer</Pill> : null}
          </div>
          {lane.answeredBy === RECORDED ? (
            <p className="truncate text-12 text-faint">Recorded answer</p>
          ) : lane.answeredBy && modelName(lane.answeredBy) !== name ? (
            <p className="truncate text-12 text-faint">Answered by {modelName(lane.answeredBy)}</p>
          ) : null}
        </div>
        {running(lane) ? (
          <Button variant="ghost" size="icon" className="ml-auto" aria-label={`Stop ${name}`} data-tip="Stop" onClick={onStop}>
            <Square className="fill-current" />
          </Button>
        ) : null}
        {voted ? (
          <Pill tone="good" className="ml-auto">
            Your pick
          </Pill>
        ) : null}
      </header>
      <section
        aria-label={`Answer of ${name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an answer that scrolls must be reachable by keyboard
        tabIndex={0}
        className={cx('overflow-y-auto px-4 py-3 outline-offset-[-2px]', lane.state === 'idle' ? 'h-16' : unfolded ? 'flex-1' : 'h-80')}
      >
        {lane.state === 'idle' ? <p className="text-13 text-faint">The answer is written here.</p> : null}
        {lane.state === 'failed' ? (
          <p role="alert" className="text-13 text-bad">
            {lane.content}
          </p>
        ) : (
          <Markdown className="text-13">{drawable(lane.content, lane.state)}</Markdown>
        )}
        {running(lane) ? <Busy label={`${name} is thinking`} className="mt-2 text-signal-text" /> : null}
        {lane.state === 'cut' ? <p className="mt-2 text-12 text-warn">This answer was cut off. Everything that arrived is shown.</p> : null}
        {lane.state === 'stopped' ? (
          <p className="mt-2 text-12 text-muted">
            {lane.content
              ? 'You stopped this answer. Everything that arrived is shown.'
              : 'You stopped this before the answer began. It counts as one prompt if the model was already reading.'}
          </p>
        ) : null}
      </section>
      {lane.state === 'idle' ? null : (
        <dl className="grid grid-cols-4 gap-px border-t border-line bg-line text-12">
          <Figure label="First" value={lane.firstMs === null ? '–' : seconds(lane.firstMs)} />
          <Figure label="Total" value={lane.ms === null ? '–' : seconds(lane.ms)} won={best.includes('fastest') && 'Fastest'} />
          <Figure label="Tokens" value={lane.usage ? String(lane.usage.prompt_tokens + lane.usage.completion_tokens) : '–'} />
          <Figure label="Cost" value={lane.usage ? cost(lane.usage.cost_microusd) : '–'} won={best.includes('cheapest') && 'Cheapest'} />
        </dl>
      )}
      <footer className="flex flex-wrap gap-1 border-t border-line p-2">
        <Button variant="ghost" disabled={!usable} onClick={() => copyText(lane.content, texts.copied(name))}>
          <Copy />
          Copy
        </Button>
        <Button variant="ghost" disabled={!usable} onClick={onContinue}>
          <MessageSquareText />
          Continue Chat
        </Button>
        <Button
          variant="ghost"
          size="icon"
          className="ml-auto"
          disabled={!usable || !canVote}
          aria-label={`Vote for ${name}`}
          aria-pressed={voted}
          data-tip="Best answer"
          onClick={onVote}
        >
          <ThumbsUp className={voted ? 'text-good' : undefined} />
        </Button>
      </footer>
    </article>
  )
}

function Figure({ label, value, won }: { label: string; value: string; won?: string | false }) {
  return (
    <div className="min-w-0 bg-panel px-3 py-1.5 max-md:px-2">
      <dt className={cx('truncate', won ? 'font-medium text-good' : 'text-faint')}>{won || label}</dt>
      <dd className="truncate font-mono tabular">{value}</dd>
    </div>
  )
}
