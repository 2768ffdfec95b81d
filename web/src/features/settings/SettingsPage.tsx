import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import { demoOf } from '../../api/demo.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmItsYouHost } from '../../shell/ConfirmItsYou.tsx'
import { EmptyState, PageHeader } from '../../ui/Panel.tsx'
import { type Tab, Tabs } from '../../ui/Tabs.tsx'
import { AiUsage } from './AiUsage.tsx'
import { ApiKeys } from './ApiKeys.tsx'
import { AuditLog } from './AuditLog.tsx'
import { ConnectedApps } from './ConnectedApps.tsx'
import { DataPanel } from './DataPanel.tsx'
import { Devices } from './Devices.tsx'
import { MemoryPanel } from './MemoryPanel.tsx'
import { Passkeys } from './Passkeys.tsx'
import { PasswordPanel } from './PasswordPanel.tsx'
import { ProfilePanel } from './ProfilePanel.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { SignIns } from './SignIns.tsx'
import { Webhooks } from './Webhooks.tsx'

type Section = 'profile' | 'security' | 'devices' | 'keys' | 'webhooks' | 'usage' | 'memory' | 'data'

export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <Sections />
    </>
  )
}

/** All of them, or those that are named. */
export function Sections({ only }: { only?: Section[] }) {
  const [search, setSearch] = useSearchParams()
  const section = (search.get('section') ?? 'profile') as Section
  return (
    <>
      <Tabs<Section>
        label="Settings"
        value={section}
        onChange={(next) => setSearch(next === 'profile' ? {} : { section: next }, { replace: true })}
        tabs={
          [
            {
              id: 'profile',
              label: 'Profile',
              panel: (
                <Column>
                  <ProfilePanel />
                </Column>
              ),
            },
            {
              id: 'security',
              label: 'Security',
              panel: (
                <Column>
                  <SecurityPanels />
                </Column>
              ),
            },
            {
              id: 'devices',
              label: 'Devices and log',
              panel: (
                <Column>
                  <Devices />
                  <AuditLog />
                </Column>
              ),
            },
            {
              id: 'keys',
              label: 'API keys and apps',
              panel: (
                <Column>
                  <ApiKeys />
                  <ConnectedApps />
                </Column>
              ),
            },
            {
              id: 'webhooks',
              label: 'Webhooks',
              panel: (
                <Column>
                  <Webhooks />
                </Column>
              ),
            },
            {
              id: 'usage',
              label: 'AI usage',
              panel: (
                <Column>
                  <AiUsage />
                </Column>
              ),
            },
            {
              id: 'memory',
              label: 'Memory',
              panel: (
                <Column>
                  <MemoryPanel />
                </Column>
              ),
            },
            {
              id: 'data',
              label: 'Your data',
              panel: (
                <Column>
                  <DataPanel />
                </Column>
              ),
            },
          ].filter(({ id }) => !only || only.includes(id as Section)) as Tab<Section>[]
        }
      />
      <ConfirmItsYouHost />
    </>
  )
}

function Column({ children }: { children: ReactNode }) {
  return <div className="flex max-w-[52rem] flex-col gap-6 pt-6">{children}</div>
}

function SecurityPanels() {
  const { session } = useSession()
  if (demoOf(session))
    return (
      <EmptyState title="A demo has no sign-in to protect">
        In an account of your own, you set a password, passkeys and a second factor here.
      </EmptyState>
    )
  return (
    <>
      <PasswordPanel />
      <Passkeys />
      <SecondFactor />
      <SignIns />
    </>
  )
}
