import { type ReactNode, useEffect, useRef } from 'react'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { WaitForCode } from '../../ui/WaitForCode.tsx'
import { checkCode, type MailKind, sendMail } from './mails.ts'

type Props = {
  kind: MailKind
  email: string
  back: string
  children: ReactNode
  begin: () => void
  onDone: () => Promise<void>
  onLeave: () => void
}

/** In the place of the form that asked for it: waits for the email, by its link in any tab or by its code here. */
export function MailSent({ kind, email, back, children, begin, onDone, onLeave }: Props) {
  const { status } = useSession()
  const done = useRef(false)
  // Also when the link was opened in another tab of this browser.
  useEffect(() => {
    if (status !== 'signed-in' || done.current) return
    done.current = true
    void onDone()
  }, [status, onDone])

  function check(code: string) {
    begin()
    return checkCode(kind, email, code)
  }
  return (
    <div className="flex flex-col gap-5 pt-5">
      {children}
      <WaitForCode send={() => sendMail(kind, email, back)} check={check} />
      <Button variant="ghost" className="-ml-3 self-start max-md:-ml-4" onClick={onLeave}>
        Use another email
      </Button>
    </div>
  )
}
