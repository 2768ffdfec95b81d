import { Maximize2, SquarePen, Volume2, VolumeX, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { usePlatform } from '../../api/platform.ts'
import { ChatLog } from '../../chat/ChatLog.tsx'
import { Composer, type ComposerHandle } from '../../chat/Composer.tsx'
import { useAboveKeyboard } from '../../chat/useRoom.ts'
import { assistantStarters } from '../../content/assistant.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Mark } from '../../ui/Mark.tsx'
import { ToastSlot } from '../../ui/toast.tsx'
import type { useAssistant } from './useAssistant.ts'

type Props = { assistant: ReturnType<typeof useAssistant>; onClose: () => void }

/** Floats beside the page instead of blocking it: what is talked about stays in sight. */
export function AssistantWindow({ assistant, onClose }: Props) {
  const { product_name } = usePlatform()
  const { chat, speech } = assistant
  const titleId = useId()
  const box = useRef<HTMLDivElement>(null)
  const composer = useRef<ComposerHandle>(null)

  // Asked for before the field takes the focus.
  const [before] = useState(() => document.activeElement as HTMLElement | null)
  useAboveKeyboard(box)

  // On a phone it covers the page: what is behind it is out of reach until it closes.
  useEffect(() => {
    if (!matchMedia('(width < 640px)').matches) return
    const behind = [...(box.current?.parentElement?.children ?? [])].filter((element) => element !== box.current)
    for (const element of behind) element.toggleAttribute('inert', true)
    return () => {
      for (const element of behind) element.toggleAttribute('inert', false)
    }
  }, [])
  useEffect(() => {
    if (!box.current?.contains(document.activeElement)) box.current?.focus()
    return () => before?.focus()
  }, [before])

  return (
    <div
      ref={box}
      role="dialog"
      data-assistant
      tabIndex={-1}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        if (chat.leaving) chat.stay()
        else onClose()
      }}
      className="fixed inset-x-0 bottom-0 z-40 flex h-[min(40rem,100dvh)] flex-col bg-panel shadow-float hairline outline-none max-sm:border-0 animate-rise max-sm:h-dvh sm:right-4 sm:bottom-4 sm:left-auto sm:h-[min(40rem,calc(100dvh-6rem))] sm:w-[26rem] sm:rounded-panel"
    >
      <div className="flex min-h-13 items-center gap-2.5 border-b border-line pr-1.5 pl-4">
        <Mark />
        <h2 id={titleId} className="min-w-0 truncate text-14 font-semibold">
          Talk to {product_name}
        </h2>
        <div className="ml-auto flex items-center">
          {speech.speaking ? (
            <Button variant="ghost" onClick={speech.stop}>
              Stop Speaking
            </Button>
          ) : null}
          <Button variant="ghost" aria-pressed={speech.on} data-tip="Speech output" onClick={speech.toggle}>
            {speech.on ? <Volume2 /> : <VolumeX />}
            <span className="sr-only">Speech output </span>
            {speech.on ? 'On' : 'Off'}
          </Button>
          {chat.messages.length > 1 ? (
            <IconButton label="New conversation" disabled={chat.busy} onClick={assistant.startNew}>
              <SquarePen />
            </IconButton>
          ) : null}
          {assistant.conversationId ? (
            <IconButton
              label="Open full page"
              onClick={() => {
                assistant.openPage()
                onClose()
              }}
            >
              <Maximize2 />
            </IconButton>
          ) : null}
          <IconButton label="Close" onClick={onClose}>
            <X />
          </IconButton>
        </div>
      </div>
      <ChatLog chat={chat} label={`Conversation with ${product_name}`} onRegenerate={(message) => chat.regenerate(message)} />
      {chat.messages.length === 1 ? (
        <ul aria-label="Ways to begin" className="flex flex-wrap gap-2 px-4 pb-3">
          {assistantStarters.map((words) => (
            <li key={words}>
              <button
                type="button"
                onClick={() => composer.current?.fill(words)}
                className="min-h-8 rounded-full px-3 text-12 text-muted hairline hover:bg-raised hover:text-text max-md:min-h-11"
              >
                {words.trim()} …
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <ToastSlot className="px-3 not-empty:pb-2" />
      <Composer
        ref={composer}
        label={`Message ${product_name}`}
        placeholder="Ask, or say where to go"
        busy={chat.busy}
        onSend={assistant.say}
        onStop={chat.stop}
        voice
        autoFocus
      />
    </div>
  )
}
