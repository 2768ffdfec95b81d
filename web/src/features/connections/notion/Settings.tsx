import type { CallReply } from '@operon/contracts/calls'
import { appOf } from '@operon/contracts/integrations/apps'
import { Account } from '../AppPanel.tsx'
import { ConnectButton } from './ConnectButton.tsx'

export function Settings({ connections }: { connections: CallReply<'list-connections'>['connections'] }) {
  return (
    <div className="flex max-w-2xl flex-col gap-4 pt-6 text-13">
      <ul className="flex flex-col gap-3">
        {connections.map((connection) => (
          <Account
            key={connection.id}
            app={appOf('notion')!}
            connection={connection}
            connectAgain={<ConnectButton>Connect again</ConnectButton>}
          />
        ))}
      </ul>
      <p className="text-muted">
        You choose in Notion which pages are shared: open a page, choose Connections in its menu, and add or remove this connection.
      </p>
      <p>
        <ConnectButton variant="secondary">Connect another workspace</ConnectButton>
      </p>
    </div>
  )
}
