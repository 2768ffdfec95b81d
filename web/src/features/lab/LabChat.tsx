import { compareStarters } from '@operon/contracts/ai-gateway/starters'
import { texts } from '@operon/contracts/messages'
import { useEffect, useRef, useState } from 'react'
import { usePlatform } from '../../api/platform.ts'
import { ChatFrame } from '../../chat/ChatFrame.tsx'
import { ChatLog } from '../../chat/ChatLog.tsx'
import { Composer, type ComposerHandle } from '../../chat/Composer.tsx'
import { Conversations } from '../../chat/ConversationList.tsx'
import type { LaneState } from '../../chat/lane.ts'
import { ownLine } from '../../chat/message.ts'
import { Starters } from '../../chat/Starters.tsx'
import { useConversationAddress } from '../../chat/useAddress.ts'
import { useConversation } from '../../chat/useConversation.ts'
import { labModels, modelName } from '../../content/models.ts'
import { appPages } from '../../shell/pages.ts'
import { Options } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.tsx'

export type Seed = { model: string; name: string; prompt: string; answer: LaneState }
const features = ['lab'] as const

export function LabChat({ seed, onSeeded }: { seed: Seed | null; onSeeded: () => void }) {
  const { product_name } = usePlatform()
  const address = useConversationAddress()
  const { conversationId } = address
  const [model, setModel] = useState<string>(seed?.model ?? labModels[0].id)
  // The answers of Compare stay with the question until a conversation of its own has begun.
  const [carried, setCarried] = useState<Seed | null>(seed)
  const composer = useRef<ComposerHandle>(null)
  const chat = useConversation({
    feature: 'lab',
    model,
    ...address,
    pages: appPages(product_name),
    // A conversation goes on with the model it was with.
    onOpened: (kept) => labModels.some(({ id }) => id === kept.model) && setModel(kept.model),
    failedLine: texts.labErrorMessage,
    emptyLine: texts.noResponse,
    onFailure: () => toast.error(texts.failedToSend),
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: a seed is sown once
  useEffect(() => {
    if (!seed) return
    const { prompt, answer } = seed
    chat.add(ownLine(prompt, 'user'), {
      ...ownLine(answer.content),
      answeredBy: answer.answeredBy,
      sandbox: answer.sandbox,
      usage: answer.usage,
    })
    onSeeded()
  }, [seed])

  useEffect(() => {
    if (conversationId) setCarried(null)
  }, [conversationId])

  const seeded = carried && [
    { role: 'user' as const, content: carried.prompt },
    { role: 'assistant' as const, content: carried.answer.content },
  ]

  const fresh = chat.messages.length === 0 && chat.loading === 'done'
  return (
    <ChatFrame
      empty={fresh}
      list={
        <Conversations
          features={features}
          current={conversationId}
          onOpen={(id) => {
            setCarried(null)
            chat.open(id)
          }}
        />
      }
      log={
        <ChatLog
          chat={chat}
          label={`Conversation with ${modelName(model)}`}
          opening={
            fresh ? (
              <Starters title={`Talk to ${modelName(model)}`} prompts={compareStarters} onPick={(text) => composer.current?.fill(text)}>
                Choose a model below, or continue from a comparison: its question and answer are carried over.
              </Starters>
            ) : null
          }
          onRegenerate={(message) => chat.regenerate(message)}
          onResend={(message, text) => chat.resend(message, text)}
          copiedSays={texts.copied(modelName(model))}
        />
      }
      composer={
        <Composer
          ref={composer}
          label={`Message ${modelName(model)}`}
          placeholder={`Write to ${modelName(model)}`}
          busy={chat.busy}
          onSend={(text) => chat.send(text, seeded ? { seed: seeded } : {})}
          onStop={chat.stop}
          extra={
            <select
              aria-label="Model"
              value={model}
              disabled={chat.busy}
              onChange={(event) => setModel(event.target.value)}
              className="h-8 rounded-control bg-transparent px-1.5 text-13 text-muted hover:bg-raised hover:text-text max-md:h-11"
            >
              <Options of={labModels.map(({ id, name }) => [id, name])} />
            </select>
          }
        />
      }
    />
  )
}
