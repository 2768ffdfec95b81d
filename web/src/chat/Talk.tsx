import type { CallReply } from '@operon/contracts/calls'
import { Paperclip } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../api/call.ts'
import { Button } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { fetchFile } from '../ui/download.ts'
import { TextArea } from '../ui/Field.tsx'
import { fileSize, moment } from '../ui/format.ts'
import { ErrorState, Skeleton } from '../ui/Panel.tsx'
import { attempt } from '../ui/toast.tsx'

type Message = CallReply<'order-messages'>['messages'][number]
type Props = {
  messages: Message[] | undefined
  failed: boolean
  retry: () => unknown
  me: 'buyer' | 'seller'
  other: string
  threadId: string | null
  send: (text: string) => Promise<unknown>
}

/** A conversation, and a field for the next message. */
export function Talk({ messages, failed, retry, me, other, threadId, send }: Props) {
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  async function onSubmit(event: FormEvent) {
    event.preventDefault()
    const said = text.trim()
    if (!said) return
    setBusy(true)
    await attempt('Your message was not sent', async () => {
      await send(said)
      setText('')
    })
    setBusy(false)
  }
  if (failed)
    return (
      <ErrorState title="The messages could not be loaded" retry={retry}>
        Nothing is lost. Try again in a moment.
      </ErrorState>
    )
  return (
    <>
      <ol className="mt-4 flex flex-col gap-4 empty:hidden">
        {messages ? (
          messages.map((message) => (
            <li
              key={message.id}
              className={cx('max-w-[60ch] border-l-2 pl-3', message.from === me ? 'border-signal-text' : 'border-control')}
            >
              <p className="text-12 text-faint">
                {message.from === me ? 'You' : other}, {moment(message.at)}
                {message.via === 'mail' ? ', by email' : ''}
              </p>
              <p className="mt-0.5 text-14 break-words whitespace-pre-line">{message.text}</p>
              {message.files.map((file) => (
                <Button
                  key={file.file_id}
                  className="mt-2"
                  disabled={!threadId}
                  onClick={() =>
                    attempt('The file did not open', async () =>
                      fetchFile((await call('thread-file', { thread_id: threadId!, file_id: file.file_id })).url),
                    )
                  }
                >
                  <Paperclip />
                  {file.name} ({fileSize(file.bytes)})
                </Button>
              ))}
            </li>
          ))
        ) : (
          <li aria-hidden="true">
            <Skeleton className="h-12 w-80 max-w-full" />
          </li>
        )}
      </ol>
      <form onSubmit={onSubmit} className="mt-5 flex max-w-xl flex-col gap-3">
        <TextArea label={`Write to ${other}`} value={text} onChange={(event) => setText(event.target.value)} maxLength={5000} required />
        <Button type="submit" size="public" busy={busy} disabled={!text.trim()} className="self-start">
          Send
        </Button>
      </form>
    </>
  )
}
