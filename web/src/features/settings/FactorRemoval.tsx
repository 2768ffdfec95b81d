import { deviceName } from '@operon/contracts/words'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { moment } from '../../ui/format.ts'
import { Alert } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

/** Somebody who reads the email of the account asked to remove its second factor: the other sessions see it here, and stop it. */
export function FactorRemoval() {
  const { user } = useSession()
  const [busy, setBusy] = useState(false)
  const { data, refetch } = useQuery({
    queryKey: ['factor-recovery', user?.id],
    queryFn: () => call('account-factor-recovery'),
  })
  if (!data?.open) return null
  const { due_at, requested_at, user_agent, ip, may_stop } = data.open

  async function stop() {
    setBusy(true)
    await attempt('It was not stopped', async () => {
      await call('account-factor-recovery-stop')
      toast.success('Your second factor stays')
      await refetch()
    })
    setBusy(false)
  }

  return (
    <Alert tone="warn" title={`Your second factor will be removed on ${moment(due_at)}`} className="m-4">
      <p>
        Asked for by email on {moment(requested_at)} from {deviceName(user_agent)}, {ip}. If it was not you, someone else can read your
        email.
      </p>
      {may_stop ? (
        <Button className="mt-2" busy={busy ? 'Stopping' : false} onClick={stop}>
          Stop it
        </Button>
      ) : (
        <p>To stop it, use the link in the email or text message we sent you about it.</p>
      )}
    </Alert>
  )
}
