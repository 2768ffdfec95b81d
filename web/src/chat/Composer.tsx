import { inputLimits } from '@operon/contracts/ai-gateway/limits'
import { ArrowUp, BookMarked, Mic, MicOff, Square } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { Button, IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { PromptLibrary } from './PromptLibrary.tsx'
import { roomLeft, tooLong } from './tooLong.ts'
import { useDraft } from './useDraft.ts'
import { useInputLimit } from './useInputLimit.ts'
import { useSpeechInput } from './useSpeechInput.ts'

export type ComposerHandle = { focus: () => void; fill: (text: string) => void }
type Props = {
  label: string
  placeholder: string
  busy: boolean
  onSend: (text: string) => void
  onStop?: () => void
  voice?: boolean
  voiceTip?: 'bottom' | 'right'
  /** How many characters are accepted. */
  limit?: number
  extra?: ReactNode
  autoFocus?: boolean
  ref?: Ref<ComposerHandle>
}

/** There a field that takes the focus by itself brings up the keyboard over what is to be read. */
const touch = () => matchMedia('(pointer: coarse)').matches

/** Enter sends, Shift+Enter is a new line; locked while an answer is on its way. */
export function Composer({ label, placeholder, busy, onSend, onStop, voice, limit = inputLimits.chat, extra, autoFocus, ref }: Props) {
  const [text, setText] = useDraft(label)
  const [library, setLibrary] = useState(false)
  const input = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const hadFocus = useRef(false)
  const speech = useSpeechInput((heard) => setText((before) => (before ? `${before} ${heard}` : heard)))
  const blank = !text.trim()
  const most = useInputLimit(text, limit)
  const refused = tooLong(text, most)
  const told = refused ?? roomLeft(text, most)
  const countId = useId()

  useImperativeHandle(ref, () => ({
    focus: () => input.current?.focus(),
    fill(next) {
      setText(next)
      input.current?.focus()
    },
  }))
  // After the answer; where none is on its way (the page answered by itself), after the field was emptied.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as said
  useEffect(() => {
    if (busy || !hadFocus.current) return
    hadFocus.current = false
    if (!touch() && form.current?.contains(document.activeElement)) input.current?.focus()
  }, [busy, text])

  function send() {
    // Enter comes here from the field, which is locked while an answer is written.
    if (blank || refused) return
    // A locked field loses the focus: it waits in the form, where Escape stops the answer.
    hadFocus.current = true
    form.current?.focus({ preventScroll: true })
    onSend(text.trim())
    setText('')
  }
  /** The second press of a double click on Send lands here: it ends nothing. */
  function stopByHand({ detail: presses }: MouseEvent) {
    if (presses < 2) onStop?.()
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <>
      <form
        ref={form}
        data-composer
        tabIndex={-1}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !busy || !onStop) return
          event.preventDefault()
          onStop()
        }}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
        className="p-3 pt-1 pb-[max(0.75rem,env(safe-area-inset-bottom))] outline-none"
      >
        <div className="mx-auto flex max-w-[46rem] flex-col rounded-panel border border-control/70 bg-page focus-within:border-signal-text hover:border-control">
          <textarea
            ref={input}
            aria-label={label}
            placeholder={speech.listening ? 'Listening…' : placeholder}
            enterKeyHint="send"
            // biome-ignore lint/a11y/noAutofocus: the field is what the page is for
            autoFocus={autoFocus && !touch()}
            rows={1}
            value={text}
            disabled={busy}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            aria-invalid={refused !== null || undefined}
            aria-describedby={told ? countId : undefined}
            className="max-h-48 min-h-11 w-full resize-none bg-transparent px-3 pt-2.5 text-14 outline-none field-sizing-content disabled:opacity-60"
          />
          {told ? (
            <p
              id={countId}
              role={refused ? 'alert' : undefined}
              className={cx('px-3 text-12 tabular', refused ? 'text-bad' : 'text-muted')}
            >
              {told}
            </p>
          ) : null}
          <div className="flex items-center gap-1 p-1.5">
            <IconButton label="Prompt library" onClick={() => setLibrary(true)} disabled={busy}>
              <BookMarked />
            </IconButton>
            {voice ? (
              <IconButton
                label={speech.listening ? 'Stop listening' : 'Speak instead of typing'}
                aria-pressed={speech.listening}
                onClick={speech.toggle}
                disabled={busy}
                className={speech.listening ? 'bg-bad-soft text-bad' : undefined}
              >
                {speech.listening ? <MicOff /> : <Mic />}
              </IconButton>
            ) : null}
            {extra}
            <span aria-hidden="true" className="ml-auto" />
            <span className="pr-1 text-12 text-faint max-sm:hidden">
              {speech.listening ? 'Listening' : busy && onStop ? 'Esc to stop' : 'Shift Enter for a new line'}
            </span>
            {busy && onStop ? (
              <Button size="icon" aria-label="Stop" data-tip="Stop" onClick={stopByHand}>
                <Square className="fill-current" />
              </Button>
            ) : (
              <Button
                type="submit"
                variant={blank ? 'secondary' : 'primary'}
                size="icon"
                aria-label="Send"
                data-tip="Send"
                disabled={busy || blank || refused !== null}
              >
                <ArrowUp />
              </Button>
            )}
          </div>
        </div>
      </form>
      {library ? (
        <PromptLibrary
          draft={text}
          onClose={() => setLibrary(false)}
          onUse={(body) => {
            setText(body)
            setLibrary(false)
            setTimeout(() => input.current?.focus())
          }}
        />
      ) : null}
    </>
  )
}
