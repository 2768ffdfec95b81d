import { answerArrival } from '../../api/arrival.ts'
import { Button } from '../../ui/Button.tsx'
import { PortalFrame } from './PortalFrame.tsx'

/** A link brought a session that this browser did not ask for, or over another account: the person decides. */
export function ArrivalQuestion({ email, here }: { email: string; here: string | null }) {
  return (
    <PortalFrame>
      <h1 className="text-28 font-semibold [overflow-wrap:anywhere]">
        {here ? `You are signed in as ${here}. Continue as ${email}?` : `Continue as ${email}?`}
      </h1>
      <p className="mt-2 mb-6 text-14 text-muted">
        {here
          ? `The link you opened signs you in as ${email}. If you continue, ${here} is signed out in this browser.`
          : 'The link you opened signs you in to this account. Continue only if it is yours: someone else can see what you enter in theirs.'}
      </p>
      <div className="flex flex-col gap-3">
        <Button variant="primary" size="public" onClick={() => answerArrival(true)} className="min-w-0">
          <span className="truncate">Continue as {email}</span>
        </Button>
        <Button size="public" onClick={() => answerArrival(false)} className="min-w-0">
          <span className="truncate">{here ? `Stay signed in as ${here}` : 'This is not my account'}</span>
        </Button>
      </div>
    </PortalFrame>
  )
}
