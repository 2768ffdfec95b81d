import { answerArrival } from '../../api/arrival.ts'
import { Button } from '../../ui/Button.tsx'
import { PortalFrame } from './PortalFrame.tsx'

/** A link brought a session that this browser did not ask for, or over another account: the person decides. */
export function ArrivalQuestion({ email, here }: { email: string; here: string | null }) {
  return (
    <PortalFrame>
      <h1 className="text-20 font-semibold [overflow-wrap:anywhere]">
        {here ? `You are signed in as ${here}. Continue as ${email}?` : `Continue as ${email}?`}
      </h1>
      <p className="mt-2 mb-6 text-14 [overflow-wrap:anywhere] text-muted">
        {here
          ? `The link you opened belongs to the other account. If you continue, ${here} is signed out in this browser.`
          : 'The link you opened signs you in to this account. Continue only if it is yours: someone else can see what you enter in theirs.'}
      </p>
      <div className="flex flex-col gap-3">
        <Button variant="primary" size="public" onClick={() => answerArrival(true)} className={wraps}>
          Continue as {email}
        </Button>
        <Button size="public" onClick={() => answerArrival(false)} className={wraps}>
          {here ? `Stay signed in as ${here}` : 'This is not my account'}
        </Button>
      </div>
    </PortalFrame>
  )
}

// Two addresses that begin alike must be told apart, so a long one takes a second line.
const wraps = '!h-auto min-h-10 py-2 !whitespace-normal [overflow-wrap:anywhere]'
