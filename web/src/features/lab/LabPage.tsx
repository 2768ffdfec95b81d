import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useSession } from '../../api/session.ts'
import { PageHeader } from '../../ui/Panel.tsx'
import { RecentCommands } from '../../ui/RecentCommands.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { CompareTab } from './CompareTab.tsx'
import { LabChat, type Seed } from './LabChat.tsx'
import { UsagePanel } from './UsagePanel.tsx'
import { useCompare } from './useCompare.ts'

type Tab = 'compare' | 'chat'

export function LabPage() {
  const { user } = useSession()
  const [search, setSearch] = useSearchParams()
  const [seed, setSeed] = useState<Seed | null>(null)
  const comparison = useCompare()
  const tab = (search.get('tab') ?? 'compare') as Tab

  function show(next: Tab) {
    setSearch(next === 'compare' ? {} : { tab: next }, { replace: true })
  }
  function continueChat(from: Seed) {
    setSeed(from)
    show('chat')
  }

  return (
    <>
      <div className="max-md:sr-only">
        <PageHeader title="AI Assistant Lab" description="The same question to four models at once, or one model at a time." />
      </div>
      <Tabs<Tab>
        label="AI Assistant Lab"
        value={tab}
        onChange={show}
        className="mb-6 max-md:-mt-4"
        tabs={[
          { id: 'compare', label: 'Compare Models', panel: <CompareTab comparison={comparison} onContinue={continueChat} /> },
          { id: 'chat', label: 'Individual Chat', panel: <LabChat seed={seed} onSeeded={() => setSeed(null)} /> },
        ]}
      />
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
        <RecentCommands userId={user!.id} title="Activity Log" empty="Each comparison and message shows up here." />
        <UsagePanel />
      </div>
    </>
  )
}
