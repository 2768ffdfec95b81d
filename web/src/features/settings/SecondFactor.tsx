import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Smartphone, Usb } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { factorName, isKey } from '../../api/factors.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { download } from '../../ui/download.ts'
import { day } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { EnrolDialog } from './EnrolDialog.tsx'
import { FactorRemoval } from './FactorRemoval.tsx'
import { SecurityKeyDialog } from './SecurityKeyDialog.tsx'

export function SecondFactor() {
  const { user } = useSession()
  const queries = useQueryClient()
  const [enrolling, setEnrolling] = useState<'app' | 'key'>()
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

  const enrolled = factors.data ?? []

  async function newCodes() {
    try {
      const { codes } = await confirmed(() => call('account-recovery-codes'))
      setCodes(codes)
    } catch (error) {
      toast.error('No new codes were made', (error as Error).message)
    }
  }
  async function added(what: string) {
    setEnrolling(undefined)
    await queries.invalidateQueries({ queryKey: key })
    toast.success(what)
    // The codes that an account with a factor has already stay as they are.
    if (!enrolled.length) await newCodes()
  }
  async function remove(id: string) {
    try {
      const { auth } = await loadBackend()
      await confirmed(async () => {
        const { error } = await auth.mfa.unenroll({ factorId: id })
        if (error) throw error
      })
      // The next question follows the factors that are left.
      await auth.refreshSession()
      await queries.invalidateQueries({ queryKey: key })
      toast.success('Second factor removed')
    } catch (error) {
      toast.error('The second factor was not removed', (error as Error).message)
    }
  }

  return (
    <Panel
      title="Second factor"
      badge={enrolled.length ? <Pill tone="good">On</Pill> : null}
      actions={
        <div className="flex shrink-0 gap-2 py-1 max-md:flex-col">
          <Button variant={enrolled.length ? 'secondary' : 'primary'} onClick={() => setEnrolling('app')}>
            Add an authenticator
          </Button>
          <Button onClick={() => setEnrolling('key')}>Add a security key</Button>
        </div>
      }
      flush
    >
      <FactorRemoval />
      {factors.isPending ? <Skeleton className="m-4 h-12" /> : null}
      {factors.isError ? <ErrorState error={factors.error} retry={() => factors.refetch()} /> : null}
      {factors.data && !enrolled.length ? (
        <EmptyState compact title="No second factor protects this account">
          A code from an authenticator app or the touch of a security key, asked for at sign-in and before deleting, exporting or paying
          out.
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {enrolled.map((factor) => (
          <li key={factor.id} className="flex items-center gap-3 px-4 py-3 text-13">
            {isKey(factor) ? <Usb className="size-4 shrink-0 text-faint" /> : <Smartphone className="size-4 shrink-0 text-faint" />}
            <span className="flex min-w-0 flex-1 flex-wrap gap-x-2">
              <span className="min-w-0 truncate font-medium">{factorName(factor)}</span>
              <span className="text-faint">since {day(factor.created_at)}</span>
            </span>
            <Button
              variant="ghost"
              aria-label={`Remove ${factorName(factor)}`}
              onClick={() => setRemoving({ id: factor.id, name: factorName(factor) })}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {enrolled.length ? (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-t border-line px-4 py-3 text-13">
          <span className="text-muted">
            Use a recovery code to sign in if you lose {enrolled.some(isKey) ? 'your key or phone' : 'your phone'}.
          </span>
          <Button onClick={newCodes}>New recovery codes</Button>
        </div>
      ) : null}
      <EnrolDialog open={enrolling === 'app'} onClose={() => setEnrolling(undefined)} onEnrolled={() => added('The authenticator is on')} />
      <SecurityKeyDialog
        open={enrolling === 'key'}
        onClose={() => setEnrolling(undefined)}
        onAdded={() => added('The security key is on')}
      />
      <Confirm
        open={Boolean(removing)}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing?.name}?`}
        action="Remove"
        danger
        onConfirm={() => remove(removing!.id)}
      >
        {enrolled.length > 1 ? 'Sign-in will ask for another of your second factors.' : 'Sign-in will no longer ask for a second factor.'}
      </Confirm>
      <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
    </Panel>
  )
}

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
