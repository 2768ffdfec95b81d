import type { CallReply } from '@operon/contracts/calls'
import { type App, appCategories, apps } from '@operon/contracts/integrations/apps'
import { texts } from '@operon/contracts/messages'
import { useQueryClient } from '@tanstack/react-query'
import { Check, Plug } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useCall } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Choices } from '../../ui/Choices.tsx'
import { SearchForm } from '../../ui/Field.tsx'
import { Asked, EmptyState, PageHeader } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { AppPanel, StatePill } from './AppPanel.tsx'
import { CustomApis } from './CustomApis.tsx'
import { useConnect } from './connecting.ts'
import { KeyDialog } from './KeyDialog.tsx'
import { RequestApp } from './RequestApp.tsx'

type Listed = CallReply<'list-apps'>['apps'][number]
const chips = ['All', 'Connected', ...appCategories] as const
type Chip = (typeof chips)[number]

/** Every app that can be connected, and those that are. */
export function AppLibraryPage() {
  const { user } = useSession()
  const queries = useQueryClient()
  const [search, setSearch] = useSearchParams()
  const shown: Chip = chips.find((chip) => chip === search.get('category')) ?? 'All'
  const q = search.get('q') ?? ''
  const key = ['list-apps', user?.id]
  const listed = useCall('list-apps', {}, { key })
  const [keyed, setKeyed] = useState<App | null>(null)
  const reload = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ['list-apps'] })
    void queries.invalidateQueries({ queryKey: ['list-connections'] })
    void queries.invalidateQueries({ queryKey: ['list-app-triggers'] })
    void queries.invalidateQueries({ queryKey: ['list-custom-apis'] })
  }, [queries])
  useLive('connection', reload)
  const connecting = useConnect(reload)
  const opened = apps.find(({ id }) => id === search.get('app'))
  const states = new Map<string, Listed>(listed.data?.apps.map((app) => [app.id, app]))
  const narrow = (values: Record<string, string>) => {
    const wanted = { category: shown, q, ...values }
    setSearch(Object.fromEntries(Object.entries(wanted).filter(([, value]) => value && value !== 'All')), { replace: true })
  }

  function connect(app: App) {
    const state = states.get(app.id)
    // Only an operator can mend it: they have not registered with the vendor.
    if (state && !state.available)
      return app.key
        ? toast.error(texts.apiSetupRequired, `${app.name} ${texts.apiSetupText}`)
        : toast.error(texts.connectionFailed, `${texts.oauthNotYet} ${app.name}`)
    if (app.key) setKeyed(app)
    else void connecting.connect(app.id)
  }

  const words = q.toLowerCase()
  const fits = (app: App) =>
    (!words || [app.name, app.description, ...app.benefits].some((text) => text.toLowerCase().includes(words))) &&
    (shown === 'All' || (shown === 'Connected' ? Boolean(states.get(app.id)?.state) : app.category === shown))
  const groups = appCategories
    .map((category) => ({ category, of: apps.filter((app) => app.category === category && fits(app)) }))
    .filter(({ of }) => of.length)

  return (
    <>
      <PageHeader title="App Library" description={listed.data ? counted(listed.data) : 'Apps that work with what you do here.'} />
      <div className="mb-5 flex flex-wrap items-center gap-2">
        <Choices label="Category" of={chips} chosen={shown} choose={(category) => narrow({ category })} />
        <SearchForm label="Search apps" value={q} onSearch={(text) => narrow({ q: text })} />
      </div>
      <Asked query={listed} skeleton="h-96" failed="Your connections could not be loaded" />
      {listed.data && !groups.length ? (
        <EmptyState
          compact
          title="No app here"
          action={
            <>
              <Button onClick={() => narrow({ category: 'All', q: '' })}>Show all</Button>
              {q ? <RequestApp key={q} name={q} /> : null}
            </>
          }
        >
          {q ? 'No app matches these words.' : 'You have not connected one yet.'}
        </EmptyState>
      ) : null}
      {listed.data
        ? groups.map(({ category, of }) => (
            <section key={category} className="mb-8">
              <h2 className="mb-2 text-14 font-semibold">{category}</h2>
              <ul className="grid grid-cols-1 gap-px overflow-hidden rounded-panel bg-panel hairline md:grid-cols-2 xl:grid-cols-3">
                {of.map((app) => (
                  <AppCard
                    key={app.id}
                    app={app}
                    listed={states.get(app.id)}
                    busy={connecting.waiting === app.id}
                    onConnect={() => connect(app)}
                    onOpen={() => narrow({ app: app.id })}
                  />
                ))}
              </ul>
            </section>
          ))
        : null}
      {listed.data && shown === 'All' && !q ? (
        <>
          <CustomApis />
          <section className="mb-8 flex flex-wrap items-center justify-between gap-3 rounded-panel bg-panel p-4 text-13 hairline">
            <p className="text-muted">Missing an app? Request it, and the people who run this site see which ones are wanted most.</p>
            <RequestApp />
          </section>
        </>
      ) : null}
      {opened ? (
        <AppPanel
          app={opened}
          onClose={() => narrow({ app: '' })}
          onConnect={() => connect(opened)}
          busy={connecting.waiting === opened.id}
        />
      ) : null}
      {keyed ? (
        <KeyDialog
          app={keyed}
          onClose={() => setKeyed(null)}
          onDone={() => {
            toast.success(`${keyed.name} is connected`)
            setKeyed(null)
            reload()
          }}
        />
      ) : null}
    </>
  )
}

function counted({ apps, connected, available }: CallReply<'list-apps'>): string {
  const broken = apps.filter(({ state }) => state === 'broken').length
  return [`${connected} connected`, ...(broken ? [`${broken} to connect again`] : []), `${available} available`].join(', ')
}

type CardProps = { app: App; listed: Listed | undefined; busy: boolean; onConnect: () => void; onOpen: () => void }
function AppCard({ app, listed, busy, onConnect, onOpen }: CardProps) {
  const { name, description, benefits, color } = app
  return (
    <li className="flex flex-col gap-3 bg-panel p-4 text-13">
      <div className="flex items-start gap-3">
        <span
          aria-hidden="true"
          className="flex size-8 shrink-0 items-center justify-center rounded-control text-14 font-semibold text-white"
          style={{ backgroundColor: color }}
        >
          {name.charAt(0)}
        </span>
        <div className="min-w-0 flex-1">
          <h3 className="flex flex-wrap items-center gap-2 text-14 font-semibold">
            <button type="button" className="text-left hover:underline" onClick={onOpen}>
              {name}
            </button>
            <StatePill state={listed?.state ?? null} />
          </h3>
          <p className="text-muted">{description}</p>
        </div>
      </div>
      <ul className="flex flex-1 flex-col gap-1 text-muted">
        {benefits.map((benefit) => (
          <li key={benefit} className="flex items-baseline gap-2">
            <Check aria-hidden="true" className="size-3.5 shrink-0 translate-y-0.5 text-faint" />
            {benefit}
          </li>
        ))}
      </ul>
      {listed?.state ? (
        <Button onClick={onOpen} aria-label={`Manage ${name}`}>
          {listed.accounts > 1 ? `Manage ${listed.accounts} accounts` : 'Manage'}
        </Button>
      ) : (
        <Button onClick={onConnect} busy={busy ? 'Waiting for you' : false} aria-label={`Connect ${name}`}>
          <Plug />
          Connect
        </Button>
      )}
    </li>
  )
}
