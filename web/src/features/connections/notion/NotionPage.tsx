import { Alert, EmptyState, ErrorState, PageHeader, Panel, Skeleton } from '../../../ui/Panel.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { StatePill } from '../AppPanel.tsx'
import { ConnectButton } from './ConnectButton.tsx'
import { Databases } from './Databases.tsx'
import { Overview } from './Overview.tsx'
import { Pages } from './Pages.tsx'
import { useNotionConnections } from './queries.ts'
import { RowSync } from './RowSync.tsx'
import { Settings } from './Settings.tsx'

const tabs = ['overview', 'databases', 'pages', 'contacts', 'tasks', 'settings'] as const
type Tab = (typeof tabs)[number]

/** The pages of a connected Notion workspace, read there and written back. */
export function NotionPage() {
  const { search, change: changeSearch } = useSearch()
  const connections = useNotionConnections()
  const own = connections.data?.connections ?? []
  const broken = own.length > 0 && own.every(({ state }) => state === 'broken')
  const [first] = own
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'overview'
  const change = (values: Record<string, string>) => changeSearch(values, true)

  return (
    <>
      <PageHeader
        title="Notion Integration"
        badge={first ? <StatePill state={first.state} /> : null}
        description={first ? first.account : 'Find, read and change your Notion pages where the rest of your work is.'}
      />
      {connections.isPending ? <Skeleton className="h-72" /> : null}
      {connections.isError ? (
        <Panel flush>
          <ErrorState title="Your connection could not be loaded" error={connections.error} retry={() => connections.refetch()} />
        </Panel>
      ) : null}
      {connections.data && !own.length ? (
        <Panel flush>
          <EmptyState title="No workspace is connected" action={<ConnectButton>Connect Notion Workspace</ConnectButton>}>
            Notion asks which pages to share. You can see and change those here, and the assistant can find them.
          </EmptyState>
        </Panel>
      ) : null}
      {broken && first ? (
        <Alert className="mb-5" title={`Notion does not accept the connection to ${first.account} any more`}>
          <p className="mb-3">Nothing is read or written until you connect it again. Your pages in Notion are unchanged.</p>
          <ConnectButton>Connect again</ConnectButton>
        </Alert>
      ) : null}
      {own.length ? (
        <Tabs<Tab>
          label="Notion"
          value={broken ? 'settings' : tab}
          onChange={(next) => change({ tab: next === 'overview' ? '' : next, page: '', new: '' })}
          tabs={
            broken
              ? [{ id: 'settings', label: 'Settings', panel: <Settings connections={own} /> }]
              : [
                  { id: 'overview', label: 'Overview', panel: <Overview connection={first!} change={change} /> },
                  { id: 'databases', label: 'Databases', panel: <Databases change={change} /> },
                  { id: 'pages', label: 'Pages', panel: <Pages search={search} change={change} /> },
                  { id: 'contacts', label: 'Contacts', panel: <RowSync kind="contacts" connections={own} /> },
                  { id: 'tasks', label: 'Tasks', panel: <RowSync kind="tasks" connections={own} /> },
                  { id: 'settings', label: 'Settings', panel: <Settings connections={own} /> },
                ]
          }
        />
      ) : null}
    </>
  )
}
