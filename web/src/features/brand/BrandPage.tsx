import { texts } from '@operon/contracts/messages'
import { type FormEvent, useState } from 'react'
import { streamChat } from '../../api/ai.ts'
import { WRITING_MODEL } from '../../content/models.ts'
import { fallbackNames, namePrompt, namesIn, namingTips } from '../../content/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { PromptButton } from '../../ui/chat/PromptButton.tsx'
import { cx } from '../../ui/cx.ts'
import { TextArea } from '../../ui/Field.tsx'
import { Busy } from '../../ui/Mark.tsx'
import { Alert, EmptyState, PageHeader, Panel, Pill } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { Domains } from './Domains.tsx'

type Names = { list: string[]; fallback: string | null; answeredBy: string | null; sandbox: boolean }

export function BrandPage() {
  const [description, setDescription] = useState('')
  const [names, setNames] = useState<Names | null>(null)
  const [busy, setBusy] = useState(false)
  const [chosen, setChosen] = useState<string | null>(null)

  async function generate(event?: FormEvent) {
    event?.preventDefault()
    if (!description.trim() || busy) return
    setBusy(true)
    setChosen(null)
    try {
      const reply = await streamChat({
        ...namePrompt(description.trim()),
        model: WRITING_MODEL,
        feature: 'brand',
      })
      const list = namesIn(reply.response)
      if (list.length === 0) throw new Error('The answer held no names.')
      setNames({ list, fallback: null, answeredBy: reply.answered_by, sandbox: reply.sandbox })
      toast.success(texts.namesGenerated(list.length))
    } catch (error) {
      setNames({ list: fallbackNames, fallback: (error as Error).message, answeredBy: null, sandbox: false })
      toast.error(texts.namesFailed)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <PageHeader title="Brand Builder" description="Names for what you do, and whether their domains are free." />
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <div className="flex min-w-0 flex-col gap-6">
          <Panel
            title="Name generator"
            badge={names?.sandbox ? <Pill>Sandbox answer</Pill> : names?.fallback ? <Pill tone="warn">Fallback names</Pill> : null}
          >
            <form onSubmit={generate} className="flex flex-col gap-3">
              <TextArea
                label="Describe the business"
                placeholder="A mobile bike repair service for commuters"
                value={description}
                onChange={(event) => setDescription(event.target.value)}
                maxLength={5000}
              />
              <div className="flex items-center gap-2">
                <Button type="submit" variant="primary" disabled={!description.trim()} busy={busy ? 'Thinking of names' : false}>
                  Generate names
                </Button>
                <PromptButton draft={description} onUse={setDescription} />
              </div>
            </form>
            {names?.fallback ? (
              <Alert title={texts.namesFailed} className="mt-4">
                {names.fallback} These eight are general fallback names, not made for your description.
                <Button variant="ghost" className="ml-2 h-6 text-12" onClick={() => generate()}>
                  Try again
                </Button>
              </Alert>
            ) : null}
            {busy ? <Busy label="Thinking of names" className="mt-5 text-signal-text" /> : null}
            {names && !busy ? (
              <>
                <ul className="mt-4 grid grid-cols-1 gap-1.5 sm:grid-cols-2" aria-label="Names">
                  {names.list.map((name) => (
                    <li key={name}>
                      <button
                        type="button"
                        aria-pressed={chosen === name}
                        onClick={() => setChosen(name)}
                        className={cx(
                          'min-h-10 w-full truncate rounded-control border px-3 text-left text-14 font-medium hover:bg-raised max-md:min-h-11',
                          chosen === name ? 'border-signal-text bg-signal-soft' : 'border-line',
                        )}
                      >
                        {name}
                      </button>
                    </li>
                  ))}
                </ul>
                <p className="mt-3 text-12 text-faint">
                  Choose a name to check its domains.
                  {names.answeredBy ? <span className="font-mono"> {names.answeredBy}</span> : null}
                </p>
              </>
            ) : null}
          </Panel>
          <Panel title="Naming tips" flush>
            <dl className="divide-y divide-line">
              {namingTips.map(([title, text]) => (
                <div key={title} className="px-4 py-2.5 text-13">
                  <dt className="font-medium">{title}</dt>
                  <dd className="text-muted">{text}</dd>
                </div>
              ))}
            </dl>
          </Panel>
        </div>
        {chosen ? (
          <Domains key={chosen} name={chosen} />
        ) : (
          <Panel title="Domain availability" flush>
            <EmptyState title="Choose a name">
              Its .com, .net, .org, .io and .co are asked at their registries, with the prices of three registrars beside them.
            </EmptyState>
          </Panel>
        )}
      </div>
    </>
  )
}
