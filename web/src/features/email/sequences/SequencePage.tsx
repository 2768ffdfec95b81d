import { EllipsisVertical, Pause, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Stat, StatRow } from '../../../ui/Data.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { moment } from '../../../ui/format.ts'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { Alert, PageHeader, Pill } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { Back } from '../Back.tsx'
import { Editor } from '../editor/Editor.tsx'
import { Opening } from '../Opening.tsx'
import { newKey, type Sequence, useCampaign, useRefresh, useRefreshSequences, useSequence } from '../queries.ts'
import { ReportView } from '../report/ReportView.tsx'
import { count, counted } from '../words.ts'
import { Entry } from './Entry.tsx'
import { People } from './People.tsx'
import { upTo } from './Sequences.tsx'
import { Steps } from './Steps.tsx'
import { stateNames, stateTones } from './words.ts'

const BackToAll = () => <Back search="?tab=sequences">Sequences</Back>

/** One sequence: its emails in order, how people enter it, and who is in it. One of its emails takes the page. */
export function SequencePage({ id }: { id: string }) {
  const { search } = useSearch()
  const found = useSequence(id)
  const email = search.get('email') ?? search.get('report')
  if (!found.data) return <Opening noun="sequence" back={<BackToAll />} found={found} />
  if (email) return <Email key={email} id={email} of={found.data} isReport={search.has('report')} />
  return <Loaded of={found.data} />
}

function Email({ id, of: { sequence, steps }, isReport }: { id: string; of: Sequence; isReport: boolean }) {
  const found = useCampaign(id)
  const onSaved = useRefreshSequences()
  const back = <Back search={`?tab=sequences&sequence=${sequence.sequence_id}`}>{sequence.name}</Back>
  if (found.data) {
    const at = steps.findIndex(({ step_id }) => step_id === id) + 1
    const title = at ? `Email ${at} of ${sequence.name}` : sequence.name
    if (!isReport) return <Editor campaign={found.data.campaign} sequence={{ title, back, onSaved }} />
    return (
      <>
        {back}
        <PageHeader title={title} description={found.data.campaign.subject} />
        <ReportView campaign={found.data.campaign} counts={found.data.counts} ofSequence />
      </>
    )
  }
  return <Opening noun="email" back={back} found={found} />
}

function Loaded({ of }: { of: Sequence }) {
  const { sequence, steps, people } = of
  const { sequence_id, name, state, reason, problem } = sequence
  const { change } = useSearch()
  const refresh = useRefresh()
  const [asked, setAsked] = useState<'start' | 'pause' | 'delete' | null>(null)
  const move = (to: 'start-sequence' | 'pause-sequence') =>
    attempt(to === 'start-sequence' ? `${name} was not started` : `${name} was not paused`, async () => {
      await call(to, { sequence_id }, newKey())
      await refresh()
    })
  const remove = () =>
    attempt(`${name} was not deleted`, async () => {
      await call('delete-sequence', { sequence_id }, newKey())
      change({ sequence: undefined, tab: 'sequences' }, true)
      toast.success(`${name} deleted`)
      await refresh()
    })
  const unfinished = steps.findIndex(({ ready }) => !ready) + 1
  const missing = !steps.length
    ? 'Add an email before you start it.'
    : unfinished
      ? `Give email ${unfinished} a subject and some content before you start it.`
      : null
  const sent = steps.reduce((sum, step) => sum + step.sent, 0)
  return (
    <>
      <BackToAll />
      <PageHeader
        title={name}
        badge={<Pill tone={stateTones[state]}>{stateNames[state]}</Pill>}
        description={`${counted(steps.length, 'email')}, one after another`}
        actions={
          <>
            {state === 'running' ? (
              <Button onClick={() => setAsked('pause')}>
                <Pause />
                Pause
              </Button>
            ) : (
              <Button variant="primary" disabled={Boolean(missing)} onClick={() => setAsked('start')}>
                <Play />
                {state === 'paused' ? 'Resume' : 'Start'}
              </Button>
            )}
            {state === 'running' ? null : (
              <Menu
                trigger={(props) => (
                  <IconButton label={`More for ${name}`} {...props}>
                    <EllipsisVertical />
                  </IconButton>
                )}
              >
                <MenuItem icon={<Trash2 />} danger onSelect={() => setAsked('delete')}>
                  Delete
                </MenuItem>
              </Menu>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-6">
        {state === 'paused' ? (
          <Alert tone="warn" title="Paused">
            {reason} Nobody gets an email until you resume it. People who enter wait.
          </Alert>
        ) : null}
        {problem && state === 'running' ? (
          <Alert tone="warn" title="Emails are not going out">
            {problem.text} <span className="text-muted">Since {moment(problem.since)}.</span>
          </Alert>
        ) : null}
        {missing && state !== 'running' ? <Alert title="Not ready to start">{missing}</Alert> : null}
        <StatRow>
          <Stat label="In it" value={upTo(people.in_it)} />
          <Stat label="Finished" value={upTo(people.done)} />
          <Stat label="Left early" value={upTo(people.left)} />
          <Stat label="Emails sent" value={count(sent)} />
        </StatRow>
        <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
          <Steps of={of} />
          <Entry key={sequence.version} sequence={sequence} />
        </div>
        <People of={of} />
      </div>
      <Confirm
        open={asked === 'start'}
        onClose={() => setAsked(null)}
        title={state === 'paused' ? `Resume ${name}?` : `Start ${name}?`}
        action={state === 'paused' ? 'Resume' : 'Start'}
        onConfirm={() => move('start-sequence')}
      >
        {people.in_it ? `${upTo(people.in_it)} ${people.in_it === 1 ? 'person is' : 'people are'} in it. ` : ''}
        Each email that goes out counts against your plan.{' '}
        {state === 'paused' ? 'Emails that came due during the pause go out at your plan’s hourly rate.' : ''}
      </Confirm>
      <Confirm
        open={asked === 'pause'}
        onClose={() => setAsked(null)}
        title={`Pause ${name}?`}
        action="Pause"
        onConfirm={() => move('pause-sequence')}
      >
        Nobody gets an email until you resume it. Everyone keeps their place.
      </Confirm>
      <Confirm open={asked === 'delete'} onClose={() => setAsked(null)} title={`Delete ${name}?`} action="Delete" danger onConfirm={remove}>
        Its emails and figures are deleted too, and nobody in it gets another email. People who unsubscribed stay unsubscribed.
      </Confirm>
    </>
  )
}
