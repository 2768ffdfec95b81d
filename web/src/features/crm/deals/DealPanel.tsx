import type { CallReply } from '@operon/contracts/calls'
import { Trophy, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Options, SelectField } from '../../../ui/Field.tsx'
import { day, moment } from '../../../ui/format.ts'
import { Asked, Pill } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { EditDelete } from '../EditDelete.tsx'
import { FactLink, Facts } from '../Facts.tsx'
import { MentionedIn } from '../Mentions.tsx'
import { newKey, useRefresh, useRefreshWithout } from '../queries.ts'
import { longAgo } from '../words.ts'
import { DealForm } from './DealForm.tsx'
import { type Deal, type Pipeline, useDeal, useDealMoves } from './queries.ts'
import { dayOf, isLate, stateNames, stateTone, worth } from './words.ts'

type Props = { id: string; pipelines: Pipeline[]; onClose: () => void; openContact: (id: string) => void; lose: (deal: Deal) => void }

/** One deal beside the board: what it is worth, where it stands and how it came there. */
export function DealPanel({ id, onClose, ...rest }: Props) {
  const detail = useDeal(id)
  return (
    <Dialog open side="right" onClose={onClose} title={detail.data?.deal.title ?? 'Deal'}>
      <Asked query={detail} skeleton="h-64" failed="This deal could not be loaded" />
      {detail.data ? <Loaded {...detail.data} onClose={onClose} {...rest} /> : null}
    </Dialog>
  )
}

type Notes = CallReply<'show-deal'>['mentions']
type History = { id: string; stage: string; state: Deal['state']; reason: string | null; at: string }[]
function Loaded({
  deal,
  history,
  mentions,
  pipelines,
  onClose,
  openContact,
  lose,
}: Omit<Props, 'id'> & { deal: Deal; history: History; mentions?: Notes }) {
  const refresh = useRefresh()
  const refreshOthers = useRefreshWithout(deal.id)
  const { move, close } = useDealMoves()
  const [editing, setEditing] = useState(false)
  const stages = pipelines.find(({ id }) => id === deal.pipeline_id)?.stages ?? []
  const stage = stages.find(({ id }) => id === deal.stage_id)
  const remove = () =>
    attempt(`${deal.title} was not deleted`, async () => {
      await call('delete-deal', { deal_id: deal.id }, { idempotencyKey: newKey() })
      onClose()
      await refreshOthers()
      toast.undo(`${deal.title} deleted`, () =>
        attempt(`${deal.title} was not restored`, async () => {
          await call('restore-deal', { deal_id: deal.id }, { idempotencyKey: newKey() })
          await refresh()
        }),
      )
    })
  const facts: [string, ReactNode][] = [
    ['Amount', deal.amount_cents ? worth(deal) : 'None yet'],
    ['Contact', deal.contact_name && <FactLink onClick={() => openContact(deal.contact_id!)}>{deal.contact_name}</FactLink>],
    ['Expected close', deal.expected_close ? `${dayOf(deal.expected_close)}${isLate(deal) ? ', overdue' : ''}` : null],
    ['Owner', deal.owner],
    ['Reason', deal.lost_reason],
    ['Added', day(deal.created_at)],
  ]
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-2">
        <Pill tone={stateTone[deal.state]}>{stateNames[deal.state]}</Pill>
        <EditDelete className="ml-auto" onEdit={() => setEditing(true)} onDelete={remove} />
      </div>
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label={deal.state === 'open' ? 'Stage' : 'Open again in'}
          fieldClassName="min-w-40 flex-1"
          value={deal.state === 'open' ? (stage?.id ?? '') : ''}
          onChange={(event) => {
            const to = stages.find(({ id }) => id === event.target.value)
            if (to) void move(deal, to)
          }}
        >
          {deal.state !== 'open' || !stage ? <option value="">Choose a stage</option> : null}
          <Options of={stages.map(({ id, name }) => [id, name])} />
        </SelectField>
        {deal.state !== 'won' ? (
          <Button onClick={() => close(deal, true)}>
            <Trophy />
            Won
          </Button>
        ) : null}
        {deal.state !== 'lost' ? (
          <Button onClick={() => lose(deal)}>
            <X />
            Lost
          </Button>
        ) : null}
      </div>
      <Facts facts={facts} />
      <section className="flex flex-col gap-2" aria-label="History">
        <h3 className="text-13 font-medium">History</h3>
        <ol>
          {history.map((step) => (
            <li key={step.id} className="flex items-baseline justify-between gap-4 border-t border-line py-2 text-13 first:border-t-0">
              <span className="break-words">
                {step.state === 'open' ? step.stage : `${stateNames[step.state]} in ${step.stage}`}
                {step.reason ? <span className="block text-12 text-muted">{step.reason}</span> : null}
              </span>
              <time dateTime={step.at} title={moment(step.at)} className="text-12 whitespace-nowrap text-faint">
                {longAgo(step.at)}
              </time>
            </li>
          ))}
        </ol>
      </section>
      <MentionedIn notes={mentions} />
      {editing ? <DealForm open onClose={() => setEditing(false)} deal={deal} /> : null}
    </div>
  )
}
