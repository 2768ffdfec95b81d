import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import type { Approval, Conversation as Kept, SavedPrompt } from '../../api/ai.ts'
import { ApprovalCard } from '../../chat/ApprovalCard.tsx'
import { ApprovalView } from '../../chat/ApprovalView.tsx'
import { AttachButton, AttachedList, SentFile, useAttachments } from '../../chat/Attachments.tsx'
import { ChatFrame } from '../../chat/ChatFrame.tsx'
import { ChatLog } from '../../chat/ChatLog.tsx'
import { Composer } from '../../chat/Composer.tsx'
import { Conversation } from '../../chat/Conversation.tsx'
import { Conversations } from '../../chat/ConversationList.tsx'
import { type Evidence, EvidenceTable } from '../../chat/EvidenceTable.tsx'
import { LaneCard } from '../../chat/LaneCard.tsx'
import { CopyTool, MessageItem, Tool } from '../../chat/MessageItem.tsx'
import { OwnPicture } from '../../chat/OwnPicture.tsx'
import { Problem } from '../../chat/Problem.tsx'
import { PromptButton } from '../../chat/PromptButton.tsx'
import { PromptLibrary } from '../../chat/PromptLibrary.tsx'
import { Remembered } from '../../chat/Remembered.tsx'
import { Sources } from '../../chat/Sources.tsx'
import { Starters } from '../../chat/Starters.tsx'
import { StopButton } from '../../chat/StopButton.tsx'
import { Talk } from '../../chat/Talk.tsx'
import { conversation } from '../../content/showcase.ts'
import { Button } from '../../ui/Button.tsx'
import { DAY_MS } from '../../ui/format.ts'
import { Mark } from '../../ui/Mark.tsx'
import { Markdown, OwnPictures } from '../../ui/Markdown.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { RecentCommands } from '../../ui/RecentCommands.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { toast } from '../../ui/toast.tsx'

const nobody = 'shown'
// Nothing is asked under it: what is shown stands in the cache below.
const feature = 'api'
const now = new Date().toISOString()
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const kept = [
  ['c1', 'Which quotes to chase', now],
  ['c2', 'Names for the autumn course', daysAgo(1)],
  ['c3', 'A reply to a late payer', daysAgo(5)],
] as const
const prompts = [['p1', 'Weekly summary', 'Summarize what happened this week in five lines, money first.']] as const

// No session is needed to look at what an account has kept.
const shown = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
shown.setQueryData(['ai-conversations', feature], {
  pages: [kept.map(([id, title, updated_at]) => ({ id, title, updated_at, feature }) as unknown as Kept)],
  pageParams: [0],
})
shown.setQueryData(
  ['ai-prompts'],
  prompts.map(([id, title, body]) => ({ id, title, body }) as unknown as SavedPrompt),
)
shown.setQueryData(['show-thread', nobody], {
  thread: { from: 'Mara', subject: 'Budget planner', order_id: null },
  messages: [{ id: 'm1', from: 'buyer', text: 'Does it work with HubSpot?', via: 'app', at: now, files: [], files_left: 0 }],
})
shown.setQueryData(
  ['activity', nobody],
  [
    { id: 'a1', command: 'Draft three ad variations for the spring offer', status: 'completed', created_at: now },
    { id: 'a2', command: 'Summarize this week of sales', status: 'pending', created_at: daysAgo(1) },
  ],
)
shown.setQueryData(['activity', 'new'], [])
const picture = '00000000-0000-7000-8000-000000000001'
shown.setQueryData(['find-images', { ids: [picture] }], { pictures: [] })

const said = { id: null, after: null, state: 'complete', at: '' } as const
const answer = { ...said, key: 'answer', id: 'answer', role: 'assistant', content: conversation.answer } as const
const log = {
  messages: [
    { ...said, key: 'asked', role: 'user', content: conversation.asked } as const,
    { ...answer, answeredBy: conversation.answeredBy, citations: ['https://example.com/quotes', 'https://example.org/'] },
  ],
  busy: false,
  loading: 'done' as const,
  reload: async () => {},
}

const evidence: Evidence = {
  action: 'list-payments',
  title: 'Payments',
  columns: { description: { label: 'Payment', as: 'text' }, amount_cents: { label: 'Amount', as: 'cents' } },
  rows: [{ description: 'Pro, November', amount_cents: 9900, currency: 'usd' }],
}
const step: Approval['steps'][number] = {
  action: 'write-email',
  title: 'Draft an email',
  effect: 'spends',
  unit: 'prompts',
  does: 'Drafts an email to Mara about her payment',
  input: { topic: 'Thank Mara for her payment' },
  preview: null,
  state: 'waiting',
  reply: null,
  error: null,
  undo_until: null,
}
const done = { ...step, state: 'done' as const, reply: { subject: 'Thank you, Mara' } }
const untouched = { onApprove() {}, onDismiss() {}, onUndo() {}, onEdit: async () => false }
const approval: Approval = {
  id: 'approval',
  message_id: null,
  title: 'Draft a thank-you for each payment',
  steps: [step],
  state: 'proposed',
  origin: 'assistant',
  prompts: 1,
  created_at: now,
  expires_at: now,
}
shown.setQueryData(['ai-approval', approval.id], approval)
/** A preview longer than a card shows at once. */
const long: Approval = {
  ...approval,
  id: 'long',
  title: 'Send “November news”',
  steps: [
    {
      ...step,
      action: 'send-campaign',
      title: 'Send a campaign',
      effect: 'sends',
      unit: 'emails',
      does: 'Sends “November news” to 24 people',
      input: { campaign_id: picture },
      preview: {
        subject: 'What changed in November',
        text: conversation.answer,
        recipients: Array.from({ length: 24 }, (_, n) => `Customer ${n + 1} <customer.${n + 1}@harbour-cafe.example>`),
      },
    },
  ],
}

const lane = {
  model: 'claude',
  state: 'complete',
  content: conversation.answer,
  answeredBy: null,
  sandbox: false,
  firstMs: 400,
  ms: 2100,
  usage: null,
} as const

/** The parts that the assistants are made of. */
const sentFile = { file_id: 'f1', name: 'screenshot-of-the-second-step.png', bytes: 218_000, type: 'image/png' }

export function ConversationParts() {
  const [current, setCurrent] = useState<string | null>('c1')
  const [library, setLibrary] = useState(false)
  const [thread, setThread] = useState(false)
  return (
    <QueryClientProvider client={shown}>
      <ChatFrame
        empty={false}
        list={<Conversations features={[feature]} current={current} onOpen={setCurrent} />}
        log={<ChatLog chat={log} label="A conversation" />}
        composer={<Composer label="Message" placeholder="Write something" busy={false} onSend={() => {}} voice />}
      />
      <Panel title="While nothing has been said">
        <Starters title="What shall we look at?" prompts={['Which quotes to chase', 'What changed this week']} onPick={toast.info}>
          Pick one, or write your own.
        </Starters>
      </Panel>
      <div className="grid gap-6 md:grid-cols-2">
        <Panel title="An answer on its way">
          <MessageItem busy message={{ ...answer, key: 'writing', state: 'streaming', content: 'Chase the four that' }} />
          <div className="mt-4">
            <StopButton onStop={() => toast.info('Stopped')} />
          </div>
        </Panel>
        <Panel title="What went wrong">
          <div className="flex flex-col gap-3">
            <Problem title="The answer was cut off" text="Everything that arrived is shown." retry={() => toast.info('Tried')} />
            <Problem title="The month's prompts are used" atLimit />
          </div>
        </Panel>
        <Panel title="Under an answer">
          <Sources links={['https://example.com/quotes', 'https://example.org/']} />
          <div className="mt-3 flex items-center gap-1">
            <CopyTool text="Copied" />
            <Tool label="A tool" onClick={() => toast.info('Used')}>
              <Mark className="h-3" />
            </Tool>
          </div>
        </Panel>
        <Panel title="A picture of an answer, since deleted">
          <OwnPictures value={OwnPicture}>
            <Markdown>{`![A bakery at dawn](/dashboard/image-studio?image=${picture})`}</Markdown>
          </OwnPictures>
          <OwnPicture id={picture} alt="A bakery at dawn" />
        </Panel>
        <Panel title="Steps under one approval">
          <EvidenceTable evidence={evidence} />
          <div className="mt-3">
            <ApprovalCard given={approval} />
          </div>
          <div className="mt-3">
            <ApprovalView approval={long} {...untouched} />
          </div>
          <div className="mt-3">
            <ApprovalView approval={{ ...approval, state: 'done', steps: [done] }} {...untouched} />
          </div>
          <div className="mt-3">
            <Remembered memory={{ id: 'memory', content: 'We close on Mondays', created_at: now }} />
          </div>
        </Panel>
        <LaneCard lane={lane} at={0} voted canVote={false} onStop={() => {}} onVote={() => {}} onContinue={() => {}} />
        <Panel title="Messages with a person">
          <Talk
            messages={[
              { id: 'm1', from: 'buyer', text: 'Does it work with HubSpot?', via: 'mail', at: now, files: [sentFile], files_left: 1 },
            ]}
            failed={false}
            retry={() => {}}
            me="seller"
            other="Mara"
            attachTo="sample"
            linkTo={async () => ({ url: '#' })}
            send={async () => {}}
          />
          <Button className="mt-3" onClick={() => setThread(true)}>
            Beside its list
          </Button>
          {thread ? <Conversation id={nobody} me="seller" lists={[]} onClose={() => setThread(false)} /> : null}
        </Panel>
        <Panel title="The next page of a list">
          <ShowMore of={{ hasNextPage: true, isFetchingNextPage: false, fetchNextPage: () => toast.info('More') }} />
        </Panel>
        <Panel title="Prompts">
          <div className="flex items-center gap-3">
            <PromptButton draft="" onUse={toast.info} />
            <Button onClick={() => setLibrary(true)}>Prompt library</Button>
          </div>
        </Panel>
        <Panel title="Attachments">
          <Attachments />
          <SentFile name="Offer.pdf" bytes={48_200} onOpen={() => toast.info('Saved')} />
        </Panel>
        <RecentCommands userId={nobody} title="Recent commands" empty="Your questions appear here." />
        <RecentCommands userId="new" title="None yet" empty="Your questions appear here." />
      </div>
      {library ? <PromptLibrary draft="" onUse={toast.info} onClose={() => setLibrary(false)} /> : null}
    </QueryClientProvider>
  )
}

function Attachments() {
  const held = useAttachments('sample')
  return (
    <div className="flex flex-col items-start gap-2">
      <AttachButton held={held} />
      <AttachedList held={held} />
    </div>
  )
}
