import { Pill } from '../../../ui/Panel.tsx'

const lanes = [
  {
    name: 'ChatGPT',
    ms: '840 ms',
    tokens: 96,
    text: 'Lead with the outcome: “Your first campaign, live before lunch.” Then one line on how, and the price.',
    share: 100,
  },
  {
    name: 'Claude',
    ms: '910 ms',
    tokens: 104,
    text: 'Say who it is for before what it does. “For studios of one to ten” makes the reader feel counted.',
    share: 100,
  },
  {
    name: 'Gemini',
    ms: '620 ms',
    tokens: 71,
    text: 'Three bullets: setup time, monthly cost, what happens after the trial. Nothing else above the fold.',
    share: 100,
  },
  {
    name: 'Perplexity',
    ms: '1.2 s',
    tokens: 58,
    text: 'Pages that name a price convert better with small businesses; put the number beside the',
    share: 64,
  },
]

export function LabDemo() {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-3 rounded-panel bg-panel p-3 hairline">
        <p className="flex-1 text-14">How should a small agency open its pricing page?</p>
        <span className="rounded-control bg-signal px-3 py-1.5 text-13 font-semibold text-ink">Compare All</span>
      </div>
      <div className="grid gap-4 md:grid-cols-2">
        {lanes.map((lane) => (
          <section key={lane.name} className="rounded-panel bg-panel hairline">
            <header className="flex h-11 items-center justify-between border-b border-line px-4">
              <p className="text-14 font-semibold">{lane.name}</p>
              <span className="font-mono text-12 text-faint">
                {lane.ms} · {lane.tokens} tokens
              </span>
            </header>
            <p className="min-h-24 px-4 py-3 text-13 text-muted">
              {lane.text}
              {lane.share < 100 ? <span className="ml-1 inline-block h-3.5 w-1.5 translate-y-0.5 rounded-full bg-signal-text" /> : null}
            </p>
            <div className="px-4 pb-3">{lane.share < 100 ? <Pill tone="info">Streaming</Pill> : <Pill>Continue Chat</Pill>}</div>
          </section>
        ))}
      </div>
    </div>
  )
}
