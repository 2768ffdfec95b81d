import { CalendarDays, GitBranch, Mail, UserPlus } from 'lucide-react'
import { Table } from '../../../ui/Data.tsx'
import { Panel, Pill } from '../../../ui/Panel.tsx'

const steps = [
  { icon: UserPlus, title: 'New lead', text: 'From any form or import', state: 'done' },
  { icon: GitBranch, title: 'Qualify', text: 'Budget over $500?', state: 'done' },
  { icon: Mail, title: 'Write the email', text: 'In your voice, for your approval', state: 'waiting' },
  { icon: CalendarDays, title: 'Offer a meeting', text: 'Three free hours this week', state: 'next' },
] as const

const runs = [
  ['1,208', 'Waiting for your approval', 'warn', '10:24', '–'],
  ['1,207', 'Finished', 'good', '10:02', '4.1 s'],
  ['1,206', 'Finished', 'good', '09:41', '3.8 s'],
  ['1,205', 'Finished', 'good', '09:17', '4.4 s'],
] as const

export function WorkflowDemo() {
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <p className="text-28 font-semibold">Lead Qualification</p>
        <Pill tone="good">Active</Pill>
      </div>
      <ol className="grid gap-3 lg:grid-cols-4 lg:gap-0">
        {steps.map((step, index) => (
          <li key={step.title} className="relative lg:pr-6">
            {index < steps.length - 1 ? (
              <span aria-hidden="true" className="absolute top-1/2 right-0 hidden h-px w-6 bg-control lg:block" />
            ) : null}
            <div className={`h-full rounded-panel bg-panel p-4 hairline ${step.state === 'waiting' ? 'border-signal-text' : ''}`}>
              <div className="flex items-center justify-between">
                <step.icon className="size-4 text-muted" />
                <span
                  aria-hidden="true"
                  className={`h-1.5 w-8 rounded-full ${{ done: 'bg-signal-text', waiting: 'bg-warn', next: 'bg-raised' }[step.state]}`}
                />
              </div>
              <p className="mt-4 text-14 font-semibold">{step.title}</p>
              <p className="mt-0.5 text-13 text-muted">{step.text}</p>
            </div>
          </li>
        ))}
      </ol>
      <Panel title="Run history" flush>
        <Table label="Run history" head={['Run', 'State', 'Started', 'Took']}>
          {runs.map(([run, state, tone, at, took]) => (
            <tr key={run}>
              <td className="font-mono text-12 tabular">{run}</td>
              <td>
                <Pill tone={tone}>{state}</Pill>
              </td>
              <td className="font-mono text-12 text-faint tabular">{at}</td>
              <td className="font-mono text-12 text-faint tabular">{took}</td>
            </tr>
          ))}
        </Table>
      </Panel>
    </div>
  )
}
