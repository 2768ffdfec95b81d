import { chatStarters } from '@operon/contracts/ai-gateway/starters'
import { texts } from '@operon/contracts/messages'
import { useRef } from 'react'
import { usePlatform } from '../../api/platform.ts'
import { ChatFrame } from '../../chat/ChatFrame.tsx'
import { ChatLog } from '../../chat/ChatLog.tsx'
import { Composer, type ComposerHandle } from '../../chat/Composer.tsx'
import { Conversations } from '../../chat/ConversationList.tsx'
import { Starters } from '../../chat/Starters.tsx'
import { useConversationAddress } from '../../chat/useAddress.ts'
import { useConversation } from '../../chat/useConversation.ts'
import { CHAT_MODEL } from '../../content/models.ts'
import { appPages } from '../../shell/pages.ts'
import { toast } from '../../ui/toast.tsx'

const features = ['chat', 'assistant'] as const

export function ProductChatPage() {
  const { product_name } = usePlatform()
  const address = useConversationAddress()
  const composer = useRef<ComposerHandle>(null)
  const chat = useConversation({
    feature: 'chat',
    model: CHAT_MODEL,
    ...address,
    pages: appPages(product_name),
    failedLine: texts.productChatFailed,
    onFailure: () => toast.error(texts.productChatFailed),
  })
  const fresh = chat.messages.length === 0 && chat.loading === 'done'

  return (
    <>
      {/* The top bar names the page already, and the conversation needs the room. */}
      <h1 className="sr-only">{product_name} AI</h1>
      <ChatFrame
        page
        empty={fresh}
        list={<Conversations features={features} current={address.conversationId} onOpen={chat.open} />}
        log={
          <ChatLog
            chat={chat}
            label={`Conversation with ${product_name} AI`}
            opening={
              fresh ? (
                <Starters title="What are you working on?" prompts={chatStarters} onPick={(text) => composer.current?.fill(text)}>
                  Ask anything about your business, by keyboard or by voice. Conversations are kept.
                </Starters>
              ) : null
            }
            onRegenerate={(message) => chat.regenerate(message)}
            onResend={(message, text) => chat.resend(message, text)}
          />
        }
        composer={
          <Composer
            ref={composer}
            label={`Message ${product_name} AI`}
            placeholder="Write a message"
            busy={chat.busy}
            onSend={(text) => chat.send(text)}
            onStop={chat.stop}
            voice
            autoFocus
          />
        }
      />
    </>
  )
}
