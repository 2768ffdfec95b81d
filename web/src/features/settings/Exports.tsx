import type { Reply } from '@operon/contracts/contract'
import type { accountExports } from '@operon/contracts/identity/exports'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { fetchFile } from '../../ui/download.ts'
import { day, fileSize, moment } from '../../ui/format.ts'
import { Asked, Panel } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'

type Export = Reply<typeof accountExports>['exports'][number]

const names: Record<NonNullable<Export['part']>, string> = {
  identity: 'Profile and sign-ins',
  billing: 'Billing',
  marketplace: 'Storefront',
  integrations: 'Connections',
  'ai-gateway': 'AI tools',
  media: 'Images and files',
  analytics: 'Activity',
  crm: 'Contacts',
}
const LOOK_EVERY_MS = 1_500

export function Exports() {
  const { user } = useSession()
  const queries = useQueryClient()
  const key = ['account-exports', user?.id]
  const made = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call('account-exports', {}, { signal }),
    refetchInterval: ({ state }) => (state.data?.exports[0]?.state === 'working' ? LOOK_EVERY_MS : false),
  })
  const exports = made.data?.exports ?? []
  const isWorking = exports[0]?.state === 'working'

  const begin = () =>
    attempt('The export was not started', async () => {
      await confirmed(() => call('account-export-begin'))
      await queries.invalidateQueries({ queryKey: key })
    })
  const open = (id: string) =>
    attempt('The file could not be opened', async () => {
      const { url } = await confirmed(() => call('account-export-open', { export_id: id }))
      fetchFile(url)
    })

  return (
    <Panel title="Export">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[52ch] text-13 text-muted">
          All the data we keep about you, as one JSON file: profile, sign-ins, devices and log, and what each tool holds. You get an email
          when the file is ready, and can download it here for 7 days.
        </p>
        <Button busy={isWorking ? 'Preparing' : false} disabled={made.isPending} onClick={begin}>
          Export my data
        </Button>
      </div>
      <Asked query={made} skeleton="mt-4 h-10" failed="Your exports could not be loaded" />
      {exports.length ? (
        <ul className="mt-4 divide-y divide-line border-line border-t text-13" aria-label="Exports">
          {exports.map((each) => (
            <li key={each.id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
              <Standing of={each} />
              {each.state === 'ready' ? <Button onClick={() => open(each.id)}>Download</Button> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </Panel>
  )
}

function Standing({
  of: { state, part, part_number, parts, rows, bytes, waiting_for, begun_at, finished_at, kept_until },
}: {
  of: Export
}) {
  if (state === 'ready')
    return (
      <Lines
        title={`Ready: ${fileSize(bytes)}, ${count(rows)}`}
        more={`Made ${moment(finished_at ?? begun_at)}. Deleted on ${day(kept_until ?? begun_at)}.`}
      />
    )
  if (state === 'failed')
    return (
      <Lines
        title="Not finished"
        more={`${names[waiting_for ?? 'identity']} did not answer for a day, so there is no file. Start a new export; your data is unchanged.`}
        isBad
      />
    )
  return (
    <div className="min-w-0 flex-1 basis-64" role="status">
      <Lines
        title={`Step ${part_number} of ${parts}: ${part ? names[part] : 'putting the file together'}`}
        more={
          waiting_for
            ? `${names[waiting_for]} is not answering right now. We keep trying, and continue where we stopped: ${count(rows)} so far.`
            : `${count(rows)} so far. You can leave this page.`
        }
      />
      <progress
        aria-label="Export"
        max={parts}
        value={part_number - 1}
        className="mt-2 block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-raised [&::-moz-progress-bar]:bg-signal-text [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-signal-text"
      />
    </div>
  )
}

function Lines({ title, more, isBad }: { title: string; more: string; isBad?: boolean }) {
  return (
    <div className="min-w-0">
      <p className={isBad ? 'font-medium text-bad' : 'font-medium'}>{title}</p>
      <p className="text-12 text-muted">{more}</p>
    </div>
  )
}

const count = (rows: number) => `${rows.toLocaleString('en-US')} ${rows === 1 ? 'record' : 'records'}`
