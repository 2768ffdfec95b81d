import { NAMES_FOR, requestOf } from '@operon/contracts/ai-gateway/content'
import { fallbackNames, namesIn } from '@operon/contracts/ai-gateway/names'
import { texts } from '@operon/contracts/messages'
import { type FormEvent, useRef, useState } from 'react'
import { Conversations } from '../../chat/ConversationList.tsx'
import type { ChatMessage } from '../../chat/message.ts'
import { Problem } from '../../chat/Problem.tsx'
import { PromptButton } from '../../chat/PromptButton.tsx'
import { StopButton } from '../../chat/StopButton.tsx'
import { useConversationAddress } from '../../chat/useAddress.ts'
import { useConversation } from '../../chat/useConversation.ts'
import { modelName, WRITING_MODEL } from '../../content/models.ts'
import { namingTips } from '../../content/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { TextArea } from '../../ui/Field.tsx'
import { EmptyState, ErrorState, PageHeader, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { Domains } from './Domains.tsx'

const features = ['brand'] as const

export function BrandPage() {
  const { conversationId: runId, onConversation: openRun } = useConversationAddress()
  const [typed, setTyped] = useState<string | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const domains = useRef<HTMLDivElement>(null)
  const chat = useConversation({
    feature: 'brand',
    model: WRITING_MODEL,
    conversationId: runId,
    onConversation: openRun,
    onFailure: () => toast.error(texts.namesFailed),
  })
  const asked = chat.messages.find(({ role }) => role === 'user')
  const answer = chat.messages.findLast(({ role }) => role === 'assistant')
  const description = typed ?? (asked ? describedIn(asked.content) : '')
  const names = answer && !chat.busy ? namesOf(answer) : null

  async function generate(event?: FormEvent) {
    event?.preventDefault()
    if (!description.trim() || chat.busy) return
    setChosen(null)
    const writing = { kind: 'names', description: description.trim() } as const
    const reply = await chat.begin(requestOf(writing), { writing })
    if (!reply) return
    const count = namesIn(reply.content).length
    if (count > 0) toast.success(texts.namesGenerated(count))
    else toast.error(texts.namesFailed)
  }
  function choose(name: string) {
    setChosen(name)
    // Where there is no room beside the names, their domains stand below them.
    if (matchMedia('(width < 1280px)').matches) domains.current?.scrollIntoView({ block: 'start' })
  }
  function open(id: string | null) {
    setTyped(id ? null : '')
    setChosen(null)
    chat.open(id)
  }

  return (
    <>
      <PageHeader title="Brand Builder" description="Names for your business, with domain availability and prices." />
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,5fr)_minmax(0,6fr)] xl:grid-rows-[auto_1fr]">
        <Panel
          title="Name generator"
          badge={names?.problem ? <Pill tone="warn">Fallback names</Pill> : names && answer?.sandbox ? <Pill>Sandbox answer</Pill> : null}
        >
          <form onSubmit={generate} className="flex flex-col gap-3">
            <TextArea
              label="Describe the business"
              placeholder="A mobile bike repair service for commuters"
              value={description}
              onChange={(event) => setTyped(event.target.value)}
              maxLength={5000}
            />
            <div className="flex items-center gap-2">
              <Button type="submit" variant="primary" disabled={!description.trim()} busy={chat.busy ? 'Generating names' : false}>
                Generate names
              </Button>
              {chat.busy ? <StopButton onStop={chat.stop} /> : null}
              <PromptButton draft={description} onUse={setTyped} />
            </div>
          </form>
          {chat.loading === 'loading' ? <Skeleton className="mt-4 h-40" /> : null}
          {chat.loading instanceof Error ? (
            <ErrorState title="These names could not be loaded" error={chat.loading} retry={() => chat.reload()} />
          ) : null}
          {chat.busy ? (
            <div aria-hidden="true" className="mt-4 grid grid-cols-1 gap-1.5 sm:grid-cols-2">
              {fallbackNames.map((name) => (
                <Skeleton key={name} className="h-10 max-md:h-11" />
              ))}
            </div>
          ) : null}
          {names?.problem ? (
            <div className="mt-4">
              <Problem
                title={texts.namesFailed}
                text={`${names.problem} These eight are general fallback names, not made for your description.`}
                retry={() => generate()}
                atLimit={answer?.atLimit}
              />
            </div>
          ) : null}
          {answer && names && !names.problem && answer.state === 'cut' ? (
            <div className="mt-4">
              <Problem text="This answer was cut off. The names that arrived are shown." retry={() => generate()} />
            </div>
          ) : null}
          {names && answer?.state === 'stopped' ? (
            <p className="mt-4 text-12 text-muted">You stopped this answer. The names that arrived are shown.</p>
          ) : null}
          {names ? (
            <>
              <ul className="mt-4 grid grid-cols-1 gap-1.5 sm:grid-cols-2" aria-label="Names">
                {names.list.map((name) => (
                  <li key={name}>
                    <button
                      type="button"
                      aria-pressed={chosen === name}
                      onClick={() => choose(name)}
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
                {answer?.answeredBy && !names.problem ? ` By ${modelName(answer.answeredBy)}.` : null}
              </p>
            </>
          ) : null}
        </Panel>
        <div ref={domains} className="flex min-w-0 scroll-mt-20 flex-col gap-6 xl:row-span-2">
          {chosen ? (
            <Domains key={chosen} name={chosen} />
          ) : (
            <Panel title="Domain availability" flush>
              <EmptyState title="Choose a name">
                Checks .com, .net, .org, .io and .co with the registries, and shows three registrars to buy them from.
              </EmptyState>
            </Panel>
          )}
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
        <Panel title="Earlier names" flush>
          <Conversations
            inline
            features={features}
            current={runId}
            onOpen={open}
            newLabel="New names"
            empty="No names yet"
            nameOf={describedIn}
          />
        </Panel>
      </div>
    </>
  )
}

const describedIn = (said: string) => said.replace(NAMES_FOR, '')

/** The names that an answer suggests; where none came, the eight that stand in for it and why. */
function namesOf({ content, state, problem }: ChatMessage): { list: string[]; problem: string | null } | null {
  if (state === 'stopped' && !content) return null
  const list = state === 'failed' ? [] : namesIn(content)
  if (list.length > 0) return { list, problem: null }
  return { list: fallbackNames, problem: problem ?? (state === 'failed' ? 'No answer came.' : 'The answer had no names in it.') }
}
