import { useLocation } from 'react-router-dom'
import { loadBackend, useSession } from '../api/session.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'

/** Another tab has signed in as somebody else. This page shows the account before, and sends nothing as the new one. */
export function AnotherAccount() {
  const { pathname } = useLocation()
  const { takenBy, user } = useSession({ eager: false })
  if (!takenBy) return null

  async function leave() {
    const { auth } = await loadBackend()
    await auth.signOut({ scope: 'local' })
    location.assign('/auth')
  }

  return (
    <Dialog
      open
      onClose={() => {}}
      title={`You are signed in as ${takenBy} now`}
      description={
        user
          ? `You signed in with that account in another tab. This tab still shows ${user.email || user.phone || 'the account before'}. Nothing was sent from here.`
          : 'You signed in with that account in another tab.'
      }
      footer={
        <>
          <Button onClick={leave}>Use another account</Button>
          <Button variant="primary" onClick={() => location.assign(pathname.startsWith('/auth') ? '/auth' : pathname)}>
            Continue as {takenBy}
          </Button>
        </>
      }
    />
  )
}
