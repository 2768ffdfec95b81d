import type { CallReply } from '@operon/contracts/calls'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { fetchFile } from '../ui/download.ts'
import { TextArea } from '../ui/Field.tsx'
import { moment } from '../ui/format.ts'
import { ErrorState, Skeleton } from '../ui/Panel.tsx'
import { attempt } from '../ui/toast.tsx'
import { AttachButton, AttachedList, SentFile, useAttachments, useGuestFiles } from './Attachments.tsx'

type Message = CallReply<'order-messages'>['messages'][number]
type Props = {
  messages: Message[] | undefined
  failed: boolean
  retry: () => unknown
  me: 'buyer' | 'seller'
  other: string
  /** The order that its files belong to; null where nobody is signed in: then files go with the message. */
  attachTo: string | null
  /** A link to a file of it, for this person. */
  linkTo: (fileId: string) => Promise<{ url: string }>
  send: (text: string, fileIds: string[], files: File[]) => Promise<unknown>
}

/** A conversation, and a field for the next message. */
export function Talk({ messages, failed, retry, me, other, attachTo, linkTo, send }: Props) {
  const [text, setText] = useState('')
  const [own, guest] = [useAttachments(`message:${attachTo}`), useGuestFiles()]
  const held = attachTo ? own : guest
  const [busy, setBusy] = useState(false)
  async function onSubmit(event: FormEvent) {
    event.preventDefault()
    const said = text.trim()
    if (!said) return
    setBusy(true)
    await attempt('Your message was not sent', async () => {
      await send(said, attachTo ? own.files.map(({ id }) => id) : [], guest.chosen)
      setText('')
      held.clear()
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
                <SentFile
                  key={file.file_id}
                  name={file.name}
                  bytes={file.bytes}
                  onOpen={() => attempt('The file did not open', async () => fetchFile((await linkTo(file.file_id)).url))}
                />
              ))}
              {message.files_left ? <p className="mt-2 text-12 text-muted">{leftOut(message.files_left, message.from === me)}</p> : null}
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
        <AttachedList held={held} />
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" size="public" busy={busy} disabled={!text.trim() || held.busy}>
            Send
          </Button>
          <AttachButton held={held} />
          {attachTo ? null : <p className="text-12 text-muted">Up to 5 files, 10 MB in all.</p>}
        </div>
      </form>
    </>
  )
}

function leftOut(files: number, isMine: boolean): string {
  const them = files === 1 ? 'it' : 'them'
  const whose = isMine ? `We emailed you how to send ${them}.` : `The sender was told how to send ${them}.`
  return `${files === 1 ? 'One file of this email was' : `${files} files of this email were`} left out. ${whose}`
}
