import { texts } from '@operon/contracts/messages'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/toast.tsx'

/** Leaves for Notion's own page, which comes back here. */
export function ConnectButton({ children, variant = 'primary' }: { children: string; variant?: 'primary' | 'secondary' }) {
  const [busy, setBusy] = useState(false)
  async function connect() {
    setBusy(true)
    try {
      const { authUrl } = await call('notion-oauth', { action: 'initiate', return_to: paths.notion })
      location.assign(authUrl)
    } catch (error) {
      toast.error(texts.notionConnectFailed, (error as Error).message)
      setBusy(false)
    }
  }
  return (
    <Button variant={variant} busy={busy ? 'Connecting...' : false} onClick={connect}>
      {children}
    </Button>
  )
}
