import { ApprovalView } from '../../../chat/ApprovalView.tsx'
import { Composer } from '../../../chat/Composer.tsx'
import { MessageItem } from '../../../chat/MessageItem.tsx'
import { sampleActivity } from '../../../content/samples.ts'
import { conversation, proposals } from '../../../content/showcase.ts'
import { ActivityList } from '../../../ui/Data.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { MonthPanel } from './MonthPanel.tsx'

const untouched = { onApprove() {}, onDismiss() {}, onUndo() {}, onEdit: async () => false }
const said = { id: null, after: null, state: 'complete', at: '' } as const

/** A question, its answer, and a proposal that waits for a yes. */
export function AnalystDemo() {
  return (
    <div className="grid min-h-0 flex-1 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex min-h-0 flex-col">
        <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-hidden px-4 py-6 md:px-10 md:py-8">
          <MessageItem busy={false} message={{ ...said, key: 'asked', role: 'user', content: conversation.asked }} />
          <MessageItem
            busy={false}
            message={{
              ...said,
              key: 'answer',
              id: 'shown',
              role: 'assistant',
              content: conversation.answer,
              answeredBy: conversation.answeredBy,
            }}
          />
          <ApprovalView approval={proposals.reminder} {...untouched} />
        </div>
        <Composer label="Message the analyst" placeholder="Ask about your business" busy={false} onSend={() => {}} />
      </div>
      <div className="hidden flex-col gap-4 border-l border-line p-4 xl:flex">
        <MonthPanel />
        <Panel title="Recent Activity" flush>
          <ActivityList entries={sampleActivity.slice(2).map(({ at, ...entry }) => entry)} />
        </Panel>
      </div>
    </div>
  )
}
