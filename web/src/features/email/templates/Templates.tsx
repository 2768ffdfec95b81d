import { valuesOf } from '@operon/contracts/crm/email/merge'
import { renderEmail } from '@operon/contracts/crm/email/render'
import { starters } from '@operon/contracts/crm/email/starters'
import { Trash2 } from 'lucide-react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { ago } from '../../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { newKey, type Template, useRefresh, useTemplates } from '../queries.ts'

const reader = valuesOf({ name: 'Ines Ortega', email: 'ines@harbour-cafe.example' })

/** Designs to begin from: one's own above ours. */
export function Templates() {
  const templates = useTemplates()
  const { change } = useSearch()
  const own = templates.data?.templates.filter(({ ours }) => !ours) ?? []
  const use = (id: string) => change({ new: '1', template: id })
  return (
    <div className="flex flex-col gap-6 pt-4">
      <Panel flush title="Your templates">
        <Asked query={templates} skeleton="m-4 h-16" failed="Your templates could not be loaded" />
        {templates.data && !own.length ? (
          <EmptyState compact title="No templates of your own yet">
            “Save as a template” in the menu of a campaign keeps its design here. Your apps can send single emails with it through{' '}
            <code>send-email</code>.
          </EmptyState>
        ) : null}
        <ul aria-label="Your templates" className="divide-y divide-line">
          {own.map((template) => (
            <Own key={template.template_id} of={template} onUse={() => use(template.template_id)} />
          ))}
        </ul>
      </Panel>
      <section aria-labelledby="ours">
        <h2 id="ours" className="mb-3 text-14 font-semibold">
          Ready to fill in
        </h2>
        <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
          {starters.map(({ id, name, text, document }) => (
            <li key={id} className="flex flex-col overflow-hidden rounded-panel bg-panel hairline">
              <Thumbnail html={renderEmail(document, reader, { unsubscribe: '#', preferences: '#' }, 'light').html} />
              <div className="flex flex-1 flex-col gap-2 border-t border-line p-3">
                <h3 className="text-13 font-semibold">{name}</h3>
                <p className="flex-1 text-13 text-muted">{text}</p>
                <Button aria-label={`Use ${name}`} onClick={() => use(id)}>
                  Use
                </Button>
              </div>
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

function Own({ of: { template_id, name, subject, changed_at }, onUse }: { of: Template; onUse: () => void }) {
  const refresh = useRefresh()
  const remove = () =>
    attempt(`${name} was not deleted`, async () => {
      const { document } = await call('show-email-template', { template_id })
      await call('delete-email-template', { template_id }, newKey())
      await refresh()
      toast.undo(
        `${name} deleted`,
        () =>
          void attempt(`${name} was not restored`, async () => {
            await call('save-email-template', { name, subject, document }, newKey())
            await refresh()
          }),
      )
    })
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 text-13">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-12 text-faint">
          {subject || 'No subject'}
          {changed_at ? ` · ${ago(changed_at)}` : ''}
        </span>
      </span>
      <Button onClick={onUse} aria-label={`Use ${name}`}>
        Use
      </Button>
      <IconButton label={`Delete ${name}`} onClick={remove}>
        <Trash2 />
      </IconButton>
    </li>
  )
}

const SCALE = 0.45
/** The email itself, small. */
function Thumbnail({ html }: { html: string }) {
  return (
    <div aria-hidden="true" className="h-44 overflow-hidden bg-raised">
      <iframe
        title="A template"
        sandbox=""
        loading="lazy"
        tabIndex={-1}
        srcDoc={html}
        className="pointer-events-none block origin-top-left"
        style={{ width: `${100 / SCALE}%`, height: `${11 / SCALE}rem`, transform: `scale(${SCALE})` }}
      />
    </div>
  )
}
