import { Trophy, X } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { cx } from '../../../ui/cx.ts'
import { Options, SelectField } from '../../../ui/Field.tsx'
import { DealCard } from './DealCard.tsx'
import { type Deal, type Stage, useDealMoves } from './queries.ts'
import { sums } from './words.ts'

type Props = { stages: Stage[]; open?: (id: string) => void; lose?: (deal: Deal) => void }

/** Deals by stage. A deal is dragged, or moved with Shift and an arrow key; on a phone one stage is shown at a time. */
export function Board({ stages, open, lose }: Props) {
  const { move, close } = useDealMoves()
  const root = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<Deal | null>(null)
  const [over, setOver] = useState<string | null>(null)
  const [chosen, setChosen] = useState(stages[0]?.id)
  const [said, setSaid] = useState('')
  const [kept, setKept] = useState<string | null>(null)

  // The card is another element in its new column: the focus goes along.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for whenever the stages change
  useEffect(() => {
    if (kept) root.current?.querySelector<HTMLElement>(`[data-deal="${kept}"]`)?.focus()
  }, [kept, stages])

  function moveTo(deal: Deal, stage: Stage | undefined) {
    if (!stage || stage.id === deal.stage_id) return
    setKept(deal.id)
    setSaid(`${deal.title} moved to ${stage.name}`)
    void move(deal, stage)
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>, deal: Deal) {
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!side && !step) return
    event.preventDefault()
    const at = stages.findIndex(({ id }) => id === deal.stage_id)
    if (side && event.shiftKey) return moveTo(deal, stages[at + side])
    setKept(null)
    const focus = (id: string | undefined) => id && root.current?.querySelector<HTMLElement>(`[data-deal="${id}"]`)?.focus()
    const row = stages[at]!.deals.findIndex(({ id }) => id === deal.id)
    if (step) return focus(stages[at]!.deals[row + step]?.id)
    const next =
      side! < 0 ? stages.slice(0, at).findLast(({ deals }) => deals.length) : stages.slice(at + 1).find(({ deals }) => deals.length)
    focus(next?.deals[Math.min(row, next.deals.length - 1)]?.id)
  }
  const dropOn = (id: string, drop: (deal: Deal) => void) => ({
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(id)
    },
    onDragLeave: () => setOver((now) => (now === id ? null : now)),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(null)
      setDragged(null)
      if (dragged) drop(dragged)
    },
  })
  return (
    <div ref={root} className="flex flex-col gap-3">
      <SelectField label="Stage" fieldClassName="md:hidden" value={chosen} onChange={(event) => setChosen(event.target.value)}>
        <Options of={stages.map((stage) => [stage.id, `${stage.name} (${stage.count})`])} />
      </SelectField>
      <div className="flex gap-3 overflow-x-auto pb-2">
        {stages.map((stage) => (
          <section
            key={stage.id}
            aria-label={stage.name}
            className={cx(
              'flex w-64 min-w-56 flex-1 flex-col rounded-panel bg-panel hairline max-md:w-full',
              stage.id !== chosen && 'max-md:hidden',
              over === stage.id && 'outline-2 -outline-offset-2 outline-signal-text',
            )}
            {...(open ? dropOn(stage.id, (deal) => moveTo(deal, stage)) : {})}
          >
            <header className="flex items-baseline gap-2 border-b border-line px-3 py-2.5">
              <h2 className="truncate text-13 font-semibold">{stage.name}</h2>
              <span className="text-12 text-faint tabular">{stage.count}</span>
              <span className="ml-auto truncate font-mono text-12 text-muted tabular">{sums(stage.totals)}</span>
            </header>
            <ul className="flex min-h-24 flex-1 flex-col gap-2 overflow-y-auto p-2 md:max-h-[calc(100dvh-22rem)] md:min-h-64">
              {stage.deals.map((deal) => (
                <DealCard
                  key={deal.id}
                  deal={deal}
                  isDragged={dragged?.id === deal.id}
                  onKeyDown={(event) => onKeyDown(event, deal)}
                  onDrag={open ? setDragged : undefined}
                  open={open}
                />
              ))}
              {stage.count > stage.deals.length ? (
                <li className="px-1 py-1 text-12 text-faint">
                  The newest {stage.deals.length} of {stage.count}. The list shows all.
                </li>
              ) : null}
              {stage.count === 0 ? <li className="px-1 py-1 text-12 text-faint">No deals</li> : null}
            </ul>
          </section>
        ))}
      </div>
      {open ? (
        <div className="grid gap-3 max-md:hidden sm:grid-cols-2">
          <Target isOver={over === 'won'} isShown={dragged !== null} {...dropOn('won', (deal) => void close(deal, true))}>
            <Trophy className="size-4" /> Drop here when it is won
          </Target>
          <Target isOver={over === 'lost'} isShown={dragged !== null} {...dropOn('lost', (deal) => lose?.(deal))}>
            <X className="size-4" /> Drop here when it is lost
          </Target>
        </div>
      ) : null}
      {open ? <p className="text-12 text-faint max-md:hidden">Drag a deal to another stage, or press Shift with an arrow key.</p> : null}
      <p className="sr-only" role="status">
        {said}
      </p>
    </div>
  )
}

/** A place for the pointer alone: the panel of a deal has both as buttons. */
type TargetProps = { onDragOver: (event: DragEvent) => void; onDragLeave: () => void; onDrop: (event: DragEvent) => void }
function Target({ isOver, isShown, children, ...drop }: TargetProps & { isOver: boolean; isShown: boolean; children: ReactNode }) {
  return (
    <div
      className={cx(
        'flex items-center justify-center gap-2 rounded-panel border border-dashed py-3 text-13',
        isShown ? 'border-control text-muted' : 'invisible border-line',
        isOver && 'border-signal-text text-text',
      )}
      {...drop}
    >
      {children}
    </div>
  )
}
