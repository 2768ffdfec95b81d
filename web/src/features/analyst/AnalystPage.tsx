import { inputLimits } from '@operon/contracts/ai-gateway/limits'
import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesColumn, PenLine, Repeat2, Zap } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { readApproval } from '../../api/ai.ts'
import { useSession } from '../../api/session.ts'
import { ApprovalCard } from '../../chat/ApprovalCard.tsx'
import { ChatFrame } from '../../chat/ChatFrame.tsx'
import { ChatLog } from '../../chat/ChatLog.tsx'
import { Composer } from '../../chat/Composer.tsx'
import { Conversations } from '../../chat/ConversationList.tsx'
import { useConversationAddress } from '../../chat/useAddress.ts'
import { analystCategories, analystWelcome, quickPrompts, type TaskType, taskOf } from '../../content/analyst.ts'
import { cx } from '../../ui/cx.ts'
import { Markdown } from '../../ui/Markdown.tsx'
import { ErrorState } from '../../ui/Panel.tsx'
import { RecentCommands } from '../../ui/RecentCommands.tsx'
import { useAnalyst } from './useAnalyst.ts'

const features = ['analyst'] as const
const icons = { analysis: ChartNoAxesColumn, creation: PenLine, automation: Repeat2, action: Zap }

export function AnalystPage() {
  const { user } = useSession()
  const address = useConversationAddress()
  const [category, setCategory] = useState<TaskType | null>(null)
  const analyst = useAnalyst(address)
  const justWelcome = analyst.messages.length === 0 && analyst.loading === 'done'
  const ask = (text: string, task?: TaskType) => analyst.say(text, task ?? category ?? taskOf(text))

  return (
    <>
      <h1 className="sr-only">AI Business Analyst</h1>
      <ChatFrame
        page
        empty={justWelcome}
        list={
          <Conversations
            features={features}
            current={address.conversationId}
            onOpen={analyst.open}
            foot={<RecentCommands bare userId={user!.id} title="Recent activity" empty="Your questions to the assistants appear here." />}
          />
        }
        log={
          <ChatLog
            chat={analyst}
            label="Conversation with the business analyst"
            opening={
              <>
                <Markdown>{analystWelcome}</Markdown>
                <AskedElsewhere />
                {justWelcome ? <FirstSteps category={category} onCategory={setCategory} onAsk={ask} busy={analyst.busy} /> : null}
              </>
            }
            onRegenerate={analyst.again}
            onResend={analyst.edit}
            limit={inputLimits.analyst}
          />
        }
        composer={
          <Composer
            label="Message the analyst"
            placeholder="Ask about your business"
            busy={analyst.busy}
            onSend={(text) => ask(text)}
            onStop={analyst.stop}
            limit={inputLimits.analyst}
          />
        }
      />
    </>
  )
}

/** An approval that another assistant asks for leads here. */
function AskedElsewhere() {
  const id = useSearchParams()[0].get('approval')
  const query = useQuery({ queryKey: ['ai-approval', id], queryFn: () => readApproval(id!), enabled: id !== null })
  if (query.isError) return <ErrorState title="This proposal could not be loaded" error={query.error} retry={() => query.refetch()} />
  return query.data ? <ApprovalCard given={query.data} /> : null
}

type FirstProps = {
  category: TaskType | null
  onCategory: (next: TaskType | null) => void
  onAsk: (text: string, task: TaskType) => void
  busy: boolean
}
function FirstSteps({ category, onCategory, onAsk, busy }: FirstProps) {
  const shown = quickPrompts.filter(({ task }) => !category || task === category)
  return (
    <div className="flex flex-col gap-4">
      <ul className="grid grid-cols-2 gap-2">
        {analystCategories.map(({ id, title, text }) => {
          const Icon = icons[id]
          const chosen = category === id
          return (
            <li key={id} className="flex">
              <button
                type="button"
                aria-pressed={chosen}
                onClick={() => onCategory(chosen ? null : id)}
                className={cx(
                  'flex w-full items-start gap-3 rounded-control border p-3 text-left hover:bg-raised',
                  chosen ? 'border-signal-text bg-signal-soft' : 'border-line',
                )}
              >
                <Icon className="mt-0.5 size-4 text-signal-text" />
                <span>
                  <span className="block text-13 font-semibold">{title}</span>
                  <span className="block text-12 text-muted max-sm:hidden">{text}</span>
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      <ul className="flex flex-wrap gap-2" aria-label="Quick prompts">
        {shown.map(({ title, prompt, task }) => (
          <li key={title}>
            <button
              type="button"
              disabled={busy}
              onClick={() => onAsk(prompt, task)}
              className="min-h-8 rounded-full px-3 text-12 text-muted hairline hover:bg-raised hover:text-text disabled:opacity-60 max-md:min-h-11"
            >
              {title}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
