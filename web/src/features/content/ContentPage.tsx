import { type ContentType, contentTypes, requestOf } from '@operon/contracts/ai-gateway/content'
import { texts } from '@operon/contracts/messages'
import { Copy, Download, Sparkles } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Conversations } from '../../chat/ConversationList.tsx'
import { MessageItem } from '../../chat/MessageItem.tsx'
import { PromptButton } from '../../chat/PromptButton.tsx'
import { StopButton } from '../../chat/StopButton.tsx'
import { useConversationAddress } from '../../chat/useAddress.ts'
import { useConversation } from '../../chat/useConversation.ts'
import { WRITING_MODEL } from '../../content/models.ts'
import { contentTemplates } from '../../content/prompts.ts'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { cx } from '../../ui/cx.ts'
import { download } from '../../ui/download.ts'
import { TextArea, TextField } from '../../ui/Field.tsx'
import { EmptyState, ErrorState, PageHeader, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { ContentStats } from './ContentStats.tsx'

const features = ['content'] as const
const typeNames = Object.entries(contentTypes) as [ContentType, string][]

export function ContentPage() {
  const { conversationId, onConversation: open } = useConversationAddress()
  const [type, setType] = useState<ContentType>('blog')
  const [topic, setTopic] = useState('')
  const [requirements, setRequirements] = useState('')
  const [missing, setMissing] = useState(false)
  const chat = useConversation({
    feature: 'content',
    model: WRITING_MODEL,
    conversationId,
    onConversation: open,
    failedLine: texts.contentFailed,
    onFailure: () => toast.error(texts.contentFailed),
  })
  const asked = chat.messages.find(({ role }) => role === 'user')
  const piece = chat.messages.findLast(({ role }) => role === 'assistant')
  const about = asked ? aboutOf(asked.content) : { topic, type }
  const result = useRef<HTMLDivElement>(null)
  const words = piece?.state === 'failed' ? 0 : (piece?.content.split(/\s+/).filter(Boolean).length ?? 0)
  const usable = piece?.content && piece.state !== 'failed' && piece.state !== 'streaming'

  async function generate(event: FormEvent) {
    event.preventDefault()
    if (!topic.trim()) {
      setMissing(true)
      return void toast.error(texts.enterTopic)
    }
    // Where there is no room beside the form, the result stands below it.
    result.current?.scrollIntoView({ block: matchMedia('(width < 1280px)').matches ? 'start' : 'nearest' })
    const writing = { kind: 'content', type, topic: topic.trim(), requirements: requirements.trim() } as const
    const reply = await chat.begin(requestOf(writing), { writing })
    if (reply?.content) toast.success(texts.contentGenerated)
  }
  function save() {
    download(`${about.topic.trim().replace(/\s+/g, '_')}_${about.type}.txt`, piece!.content, 'text/plain')
    toast.success(texts.contentDownloaded)
  }

  return (
    <>
      <PageHeader title="Content Creator" description="Posts, emails, scripts and descriptions, written as you watch." />
      {/* Without this the browser holds on to what stands below a growing piece, and pushes what is read out of sight. */}
      <div className="flex flex-col gap-6 [overflow-anchor:none]">
        <div className="max-md:order-last">
          <ContentStats />
        </div>
        <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[24rem_minmax(0,1fr)] xl:grid-rows-[auto_1fr]">
          <Panel title="What to write">
            <form onSubmit={generate} className="flex flex-col gap-4" noValidate>
              <fieldset>
                <legend className="mb-1.5 text-13 font-medium">Content type</legend>
                <div className="grid grid-cols-2 gap-1.5">
                  {typeNames.map(([id, name]) => (
                    <label
                      key={id}
                      className={cx(
                        'flex h-9 items-center rounded-control border px-3 text-13 has-focus-visible:outline-2 has-focus-visible:outline-signal-text max-md:h-11',
                        type === id
                          ? 'border-signal-text bg-signal-soft font-medium'
                          : 'cursor-pointer border-line text-muted hover:bg-raised hover:text-text',
                      )}
                    >
                      <input type="radio" name="type" value={id} checked={type === id} onChange={() => setType(id)} className="sr-only" />
                      {name}
                    </label>
                  ))}
                </div>
              </fieldset>
              <TextField
                label="Topic"
                placeholder="What it is about"
                maxLength={500}
                value={topic}
                required
                error={missing ? texts.enterTopic : undefined}
                onChange={(event) => {
                  setTopic(event.target.value)
                  setMissing(false)
                }}
              />
              <div>
                <p className="mb-1.5 text-12 text-faint">Quick templates</p>
                <ul className="flex flex-col items-start gap-1.5">
                  {contentTemplates[type].map((template) => (
                    <li key={template}>
                      <button
                        type="button"
                        onClick={() => {
                          setTopic(template)
                          setMissing(false)
                        }}
                        className="min-h-7 rounded-control px-2 py-1 text-left text-12 text-muted hairline hover:bg-raised hover:text-text max-md:min-h-10"
                      >
                        {template}
                      </button>
                    </li>
                  ))}
                </ul>
              </div>
              <TextArea
                label="Additional Requirements"
                aside={<span className="text-12 text-faint">Optional</span>}
                placeholder="Tone, audience, words to use or to avoid"
                value={requirements}
                onChange={(event) => setRequirements(event.target.value)}
              />
              <div className="flex items-center gap-2">
                <Button type="submit" variant="primary" busy={chat.busy ? 'Writing' : false} className="flex-1">
                  <Sparkles />
                  Generate Content
                </Button>
                <PromptButton draft={requirements} onUse={setRequirements} />
                {chat.busy ? <StopButton onStop={chat.stop} /> : null}
              </div>
              <p className="text-12 text-faint">A piece takes about 20-30 seconds and costs one prompt.</p>
            </form>
          </Panel>
          <div ref={result} className="min-w-0 scroll-mt-20 xl:row-span-2">
            <Panel
              title="Result"
              badge={
                words > 0 ? (
                  <>
                    <span className="font-mono text-12 font-normal text-faint tabular">{words.toLocaleString('en-US')} words</span>
                    {piece?.sandbox ? <Pill className="max-sm:hidden">Sandbox answer</Pill> : null}
                    {piece?.state === 'cut' ? <Pill tone="warn">Cut off</Pill> : null}
                    {piece?.state === 'stopped' ? <Pill>Stopped</Pill> : null}
                  </>
                ) : null
              }
              flush
              actions={
                <div className="flex gap-2">
                  {chat.busy ? (
                    <div className="xl:hidden">
                      <StopButton onStop={chat.stop} />
                    </div>
                  ) : null}
                  <Button
                    disabled={!usable}
                    onClick={() => copyText(piece!.content, texts.contentCopied)}
                    className={chat.busy ? 'max-xl:hidden' : ''}
                  >
                    <Copy />
                    <span className="max-sm:sr-only">Copy</span>
                  </Button>
                  <Button disabled={!usable} onClick={save} className={chat.busy ? 'max-xl:hidden' : ''}>
                    <Download />
                    <span className="max-sm:sr-only">Download</span>
                  </Button>
                </div>
              }
            >
              {chat.loading === 'loading' ? <Skeleton className="m-5 h-48" /> : null}
              {chat.loading instanceof Error ? (
                <ErrorState title="This piece could not be loaded" error={chat.loading} retry={() => chat.reload()} />
              ) : null}
              {piece ? (
                <div className="mx-auto max-w-[46rem] p-5">
                  <MessageItem
                    message={piece}
                    busy={chat.busy}
                    onRegenerate={(message) => chat.regenerate(message, { writing: { kind: 'content', ...about } })}
                  />
                </div>
              ) : chat.loading === 'done' ? (
                <EmptyState title="Your piece is written here">Choose a type, name a topic, and press Generate Content.</EmptyState>
              ) : null}
            </Panel>
          </div>
          <Panel title="Your pieces" flush>
            <Conversations
              inline
              features={features}
              current={conversationId}
              onOpen={chat.open}
              newLabel="New piece"
              empty="No pieces yet"
              nameOf={pieceName}
            />
          </Panel>
        </div>
      </div>
    </>
  )
}

/** The topic says more than the words that all pieces begin with. */
function pieceName(title: string) {
  const { type, topic } = aboutOf(title)
  const name = contentTypes[type]
  return title.startsWith(name) ? `${topic.replace(/ Additional requirements: .*$/, '')} · ${name}` : title
}

/** Type and topic of a kept piece, from how it was asked for. */
function aboutOf(said: string): { topic: string; type: ContentType } {
  const found = typeNames.find(([, name]) => said.startsWith(name))
  const topic = /about: (.*)/.exec(said)?.[1] ?? 'content'
  return { topic, type: found?.[0] ?? 'blog' }
}
