import { texts } from '@operon/contracts/messages'
import { BookOpen, MessageCircleQuestion } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import { usePlatform } from '../../api/platform.ts'
import { ChatFrame } from '../../chat/ChatFrame.tsx'
import { ChatLog } from '../../chat/ChatLog.tsx'
import { Composer } from '../../chat/Composer.tsx'
import { Conversations } from '../../chat/ConversationList.tsx'
import { useConversationAddress } from '../../chat/useAddress.ts'
import { type Chat, useConversation } from '../../chat/useConversation.ts'
import { articlesFor, helpArticles, helpContext, quickQuestions } from '../../content/help.ts'
import { WRITING_MODEL } from '../../content/models.ts'
import { product } from '../../content/product.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.tsx'
import { HelpReader } from './HelpReader.tsx'

const features = ['help'] as const

export function HelpPage() {
  const { product_name } = usePlatform()
  const address = useConversationAddress()
  const [search, setSearch] = useSearchParams()
  const chat = useConversation({
    feature: 'help',
    model: WRITING_MODEL,
    ...address,
    failedLine: texts.helpErrorLine,
    onFailure: () => toast.error(texts.helpFailed),
  })
  const contextOf = (question: string) => ({ system: helpContext(product_name, articlesFor(question)) })
  const ask = (question: string) => chat.send(question, contextOf(question))

  function read(article: string | null) {
    const next = new URLSearchParams(search)
    if (article) next.set('article', article)
    else next.delete('article')
    setSearch(next, { replace: true })
  }

  return (
    <>
      <h1 className="sr-only">{product_name} AI Help</h1>
      <ChatFrame
        page
        empty={chat.messages.length === 0 && chat.loading === 'done'}
        list={
          <Conversations
            features={features}
            current={address.conversationId}
            onOpen={chat.open}
            newLabel="New question"
            empty="No questions yet"
            lead={
              <section aria-labelledby="quick-questions" className="border-b border-line pb-1.5">
                <h2 id="quick-questions" className="px-4 pt-3.5 pb-1.5 text-14 font-semibold">
                  Quick Questions
                </h2>
                <QuickQuestions disabled={chat.busy} onAsk={ask} />
              </section>
            }
            foot={
              <div className="flex flex-col gap-2 border-t border-line p-3 text-12 text-faint">
                <Button onClick={() => read('all')}>
                  <BookOpen />
                  Read the help
                </Button>
                <p className="text-center">
                  Not answered? Write to <span className="text-muted">{product.support}</span>
                </p>
              </div>
            }
            tools={
              <IconButton label="Read the help" onClick={() => read('all')}>
                <BookOpen />
              </IconButton>
            }
          />
        }
        log={
          <ChatLog
            chat={chat}
            label="Help conversation"
            opening={
              chat.messages.length === 0 && chat.loading === 'done' ? (
                <>
                  <div>
                    <p className="text-16 font-semibold">Ask how something works</p>
                    <p className="mt-1 text-13 text-muted">
                      Start with a quick question or write your own. Answers draw on {helpArticles.length} help articles and name the ones
                      they use.
                    </p>
                  </div>
                  <section aria-labelledby="first-questions" className="overflow-hidden rounded-panel hairline lg:hidden">
                    <h2 id="first-questions" className="border-b border-line px-4 py-2.5 text-14 font-semibold">
                      Quick Questions
                    </h2>
                    <QuickQuestions disabled={chat.busy} onAsk={ask} />
                  </section>
                </>
              ) : null
            }
            below={(key) => <Cited chat={chat} answer={key} onRead={read} />}
            onRegenerate={(message) => chat.regenerate(message, contextOf(questionOf(chat, message.key)))}
            onResend={(message, text) => chat.resend(message, text, contextOf(text))}
          />
        }
        composer={<Composer label="Your question" placeholder="How do I …" busy={chat.busy} onSend={ask} onStop={chat.stop} voice />}
      />
      <HelpReader article={search.get('article')} onRead={read} />
    </>
  )
}

function QuickQuestions({ disabled, onAsk }: { disabled: boolean; onAsk: (question: string) => void }) {
  return (
    <ul className="max-lg:divide-y max-lg:divide-line">
      {quickQuestions.map((question) => (
        <li key={question}>
          <button
            type="button"
            disabled={disabled}
            onClick={() => onAsk(question)}
            className="flex min-h-8 w-full items-center gap-2.5 px-4 py-1.5 text-left text-13 outline-offset-[-2px] hover:bg-raised disabled:opacity-60 max-lg:min-h-11"
          >
            <MessageCircleQuestion className="size-4 text-faint" />
            {question}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The articles that an answer was given from. */
function Cited({ chat, answer, onRead }: { chat: Chat; answer: string; onRead: (id: string) => void }) {
  const message = chat.messages.find(({ key }) => key === answer)
  if (message?.role !== 'assistant' || message.state === 'streaming' || message.state === 'failed' || !message.content) return null
  const articles = articlesFor(questionOf(chat, answer))
  if (articles.length === 0)
    return <p className="text-12 text-faint">No help article covers this question. Check the answer before you rely on it.</p>
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-muted">
      From the help:
      {articles.map(({ id, title }) => (
        <button key={id} type="button" onClick={() => onRead(id)} className="text-signal-text underline underline-offset-2">
          {title}
        </button>
      ))}
    </p>
  )
}

function questionOf(chat: Chat, answer: string) {
  const at = chat.messages.findIndex(({ key }) => key === answer)
  return chat.messages.slice(0, at).findLast(({ role }) => role === 'user')?.content ?? ''
}
