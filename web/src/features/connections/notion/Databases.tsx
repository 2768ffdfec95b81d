import { texts } from '@operon/contracts/messages'
import { ExternalLink } from 'lucide-react'
import { buttonClass } from '../../../ui/Button.tsx'
import { Asked, EmptyState, Panel } from '../../../ui/Panel.tsx'
import { useDatabases } from './queries.ts'

export function Databases({ change }: { change: (values: Record<string, string>) => void }) {
  const asked = useDatabases()
  const databases = asked.data?.databases
  return (
    <Panel flush className="mt-6">
      <Asked query={asked} skeleton="m-4 h-32" failed={texts.notionDatabasesFailed} />
      {databases && !databases.length ? (
        <EmptyState title="No database is shared yet">
          In Notion, open a database, choose Connections in its menu and add this connection. It appears here at once.
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {databases?.map(({ id, title, url }) => (
          <li key={id} className="flex items-center justify-between gap-3 px-4 py-2 text-13">
            <button
              type="button"
              className="min-h-8 min-w-0 flex-1 truncate text-left font-medium hover:underline max-md:min-h-11"
              onClick={() => change({ tab: 'pages', database: id })}
            >
              {title}
            </button>
            {url ? (
              <a
                href={url}
                target="_blank"
                rel="noreferrer"
                aria-label={`Open ${title} in Notion`}
                data-tip="Open in Notion"
                className={buttonClass({ variant: 'ghost', size: 'icon' })}
              >
                <ExternalLink />
              </a>
            ) : null}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
