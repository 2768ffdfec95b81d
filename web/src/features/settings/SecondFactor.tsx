import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { download } from '../../ui/download.ts'
import { day } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { confirmed } from './ConfirmItsYou.tsx'
import { EnrolDialog } from './EnrolDialog.tsx'
import { FactorRemoval } from './FactorRemoval.tsx'

export function SecondFactor() {
  const { user } = useSession()
  const queries = useQueryClient()
  const [enrolling, setEnrolling] = useState(false)
  const [removing, setRemoving] = useState<{ id: string; name: string }>()
  const [codes, setCodes] = useState<string[]>()
  const key = ['factors', user?.id]
  const factors = useQuery({
    queryKey: key,
    queryFn: async () => {
      const { auth } = await loadBackend()
      const { data, error } = await auth.mfa.listFactors()
      if (error) throw error
      return data.all.filter((factor) => factor.status === 'verified')
    },
  })

  async function newCodes() {
    try {
      const { codes } = await confirmed(() => call('account-recovery-codes'))
      setCodes(codes)
    } catch (error) {
      toast.error('No new codes were made', (error as Error).message)
    }
  }
  async function remove(id: string) {
    try {
      const { auth } = await loadBackend()
      await confirmed(async () => {
        const { error } = await auth.mfa.unenroll({ factorId: id })
        if (error) throw error
      })
      await queries.invalidateQueries({ queryKey: key })
      toast.success('Second factor removed')
    } catch (error) {
      toast.error('The second factor was not removed', (error as Error).message)
    }
  }

  const enrolled = factors.data ?? []
  return (
    <Panel
      title="Second factor"
      badge={enrolled.length ? <Pill tone="good">On</Pill> : null}
      actions={
        <Button variant={enrolled.length ? 'secondary' : 'primary'} onClick={() => setEnrolling(true)}>
          Add an authenticator
        </Button>
      }
      flush
    >
      <FactorRemoval />
      {factors.isError ? <ErrorState error={factors.error} retry={() => factors.refetch()} /> : null}
      {factors.data && !enrolled.length ? (
        <EmptyState compact title="No second factor protects this account">
          An authenticator app asks for a six-digit code at sign-in and before deleting, exporting or paying out.
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {enrolled.map((factor) => (
          <li key={factor.id} className="flex items-center justify-between gap-3 px-4 py-3 text-13">
            <span className="flex flex-wrap gap-x-2">
              <span className="font-medium">{nameOf(factor)}</span>
              <span className="text-faint">since {day(factor.created_at)}</span>
            </span>
            <Button variant="ghost" onClick={() => setRemoving({ id: factor.id, name: nameOf(factor) })}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {enrolled.length ? (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-t border-line px-4 py-3 text-13">
          <span className="text-muted">Use a recovery code to sign in if you lose your phone.</span>
          <Button onClick={newCodes}>New recovery codes</Button>
        </div>
      ) : null}
      <EnrolDialog
        open={enrolling}
        onClose={() => setEnrolling(false)}
        onEnrolled={async () => {
          setEnrolling(false)
          await queries.invalidateQueries({ queryKey: key })
          toast.success('The authenticator is on')
          await newCodes()
        }}
      />
      <Confirm
        open={Boolean(removing)}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing?.name}?`}
        action="Remove"
        danger
        onConfirm={() => remove(removing!.id)}
      >
        Sign-in will ask for the password alone.
      </Confirm>
      <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
    </Panel>
  )
}

// The name that the app gives is the time it was added, since names must differ: the date stands beside it.
const nameOf = ({ friendly_name, factor_type }: { friendly_name?: string; factor_type: string }) =>
  friendly_name && !/^Authenticator \d/.test(friendly_name) ? friendly_name : factor_type === 'totp' ? 'Authenticator app' : 'Phone'

function RecoveryCodes({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  const text = codes?.join('\n') ?? ''
  return (
    <Dialog
      open={Boolean(codes)}
      onClose={onClose}
      title="Your recovery codes"
      description="Each code works once. Save them now: they are not shown again, and earlier codes no longer work."
      footer={
        <>
          <Button onClick={() => copyText(text, 'Recovery codes copied')}>Copy</Button>
          <Button onClick={() => download('recovery-codes.txt', text, 'text/plain')}>Download</Button>
          <Button variant="primary" onClick={onClose}>
            I have saved them
          </Button>
        </>
      }
    >
      <ul className="grid grid-cols-2 gap-x-6 gap-y-2 rounded-control bg-raised p-4 font-mono text-13">
        {codes?.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  )
}
