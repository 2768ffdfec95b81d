import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { demoOf } from '../api/demo.ts'
import { useSession } from '../api/session.ts'
import { signOut } from '../api/signOut.ts'
import { paths } from '../paths.ts'
import { moment } from '../ui/format.ts'
import { toast } from '../ui/toast.tsx'

/** One quiet line: this is a demo, until when, and the way to an account that stays. */
export function DemoLine() {
  const { session } = useSession({ eager: false })
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState(false)
  const demo = demoOf(session)
  if (!demo) return null

  async function leave() {
    setLeaving(true)
    if (await signOut()) return navigate(paths.auth)
    setLeaving(false)
    toast.error('The demo could not be left', 'Check your connection and try again.')
  }

  return (
    <aside
      aria-label="Demo"
      className="z-30 flex min-h-7 items-center justify-center gap-2 border-b border-line bg-raised px-4 py-1 text-12 text-muted"
    >
      <span>
        This is a demo{demo.readsOnly ? ' to look around in' : ''}. It ends {moment(demo.endsAt)}.
      </span>
      <button
        type="button"
        disabled={leaving}
        onClick={leave}
        className="shrink-0 text-text underline decoration-control underline-offset-2 hover:decoration-text max-md:min-h-11"
      >
        Create an account
      </button>
    </aside>
  )
}
