import { CalendarDays, GitBranch, Mail, UserPlus } from 'lucide-react'

const steps = [
  { icon: UserPlus, title: 'New lead', text: 'From any form or import', on: true },
  { icon: GitBranch, title: 'Qualify', text: 'Budget over $500?', on: true },
  { icon: Mail, title: 'Write the mail', text: 'In your voice, waits for you', on: true },
  { icon: CalendarDays, title: 'Offer a meeting', text: 'Three free hours this week', on: false },
]

export function WorkflowDemo() {
  return (
    <div className="flex h-full flex-col gap-6">
      <div className="flex items-baseline justify-between">
        <p className="text-20 font-semibold">Lead Qualification</p>
        <p className="font-mono text-12 text-faint">run 1,208 · step 3 of 4</p>
      </div>
      <ol className="grid gap-3 lg:grid-cols-4 lg:gap-0">
        {steps.map((step, index) => (
          <li key={step.title} className="relative lg:pr-6">
            {index < steps.length - 1 ? (
              <span aria-hidden="true" className="absolute top-8 right-0 hidden h-px w-6 bg-control lg:block" />
            ) : null}
            <div className={`h-full rounded-panel bg-panel p-4 hairline ${index === 2 ? 'border-signal-text' : ''}`}>
              <step.icon className="size-4 text-muted" />
              <p className="mt-3 text-14 font-semibold">{step.title}</p>
              <p className="mt-0.5 text-13 text-muted">{step.text}</p>
              <span
                className={`mt-4 block h-1.5 rounded-full ${step.on ? 'bg-signal-text' : 'bg-raised'}`}
                style={{ width: `${[80, 40, 60, 70][index]}%` }}
              />
            </div>
          </li>
        ))}
      </ol>
      <div className="rounded-panel bg-panel hairline">
        <p className="border-b border-line px-4 py-2.5 text-13 font-semibold">Run history</p>
        {['1,208  waiting for your approval', '1,207  finished in 4.1 s', '1,206  finished in 3.8 s', '1,205  finished in 4.4 s'].map(
          (line, index) => (
            <p key={line} className="flex items-center gap-3 border-b border-line px-4 py-2 font-mono text-12 text-muted last:border-0">
              <span className={`h-1.5 w-3 rounded-full ${index === 0 ? 'bg-warn' : 'bg-signal-text'}`} />
              {line}
            </p>
          ),
        )}
      </div>
    </div>
  )
}
