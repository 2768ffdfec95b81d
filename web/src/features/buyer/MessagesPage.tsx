import { Link, useSearchParams } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { Conversation } from '../../chat/Conversation.tsx'
import { paths } from '../../paths.ts'
import { BuyerFrame, BuyerHead } from '../../shell/BuyerFrame.tsx'
import { ago } from '../../ui/format.ts'
import { EmptyState, Pill } from '../../ui/Panel.tsx'
import { Pages } from './Pages.tsx'

/** A row opens its conversation beside the list, which stays. */
export function BuyerMessagesPage() {
  const [search, setSearch] = useSearchParams()
  const open = search.get('thread')
  return (
    <BuyerFrame>
      <BuyerHead title="Messages">Your conversations with sellers.</BuyerHead>
      <Pages
        name="my-threads"
        failed="Your messages could not be loaded"
        read={async (cursor) => {
          const { threads, cursor: next } = await call('my-threads', cursor ? { cursor } : {})
          return { rows: threads, cursor: next }
        }}
        empty={
          <EmptyState title="No messages yet">
            Write to a seller from an order of yours, or ask a question on a product’s page before you buy.
          </EmptyState>
        }
      >
        {(threads) => (
          <ul aria-label="Conversations" className="border-t border-line">
            {threads.map((thread) => (
              <li key={thread.id} className="border-b border-line">
                <button
                  type="button"
                  onClick={() => setSearch({ thread: thread.id })}
                  className="flex w-full items-baseline gap-4 px-5 py-4 text-left outline-offset-[-2px] hover:bg-panel md:px-8"
                >
                  <span className="min-w-0 flex-1">
                    <span className="flex flex-wrap items-center gap-2 text-14 font-semibold">
                      {thread.from}
                      <span className="font-normal text-muted">{thread.subject}</span>
                      {thread.unread ? <Pill tone="signal">{thread.unread} new</Pill> : null}
                    </span>
                    <span className="mt-0.5 block truncate text-13 text-muted">
                      {thread.last_from === 'buyer' ? 'You: ' : ''}
                      {thread.preview}
                    </span>
                  </span>
                  <span className="text-12 text-faint tabular">{ago(thread.time)}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Pages>
      {open ? (
        <Conversation
          id={open}
          me="buyer"
          lists={['my-threads']}
          onClose={() => setSearch({})}
          ofOrder={(orderId) => (
            <Link to={paths.buyerOrder(orderId)} className="text-13 underline decoration-control underline-offset-2">
              Open the order
            </Link>
          )}
        />
      ) : null}
    </BuyerFrame>
  )
}
