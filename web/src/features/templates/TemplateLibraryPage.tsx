import type { CallReply } from '@operon/contracts/calls'
import { appName } from '@operon/contracts/words'
import { Download, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { call, useCall } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink, buttonClass } from '../../ui/Button.tsx'
import { Choices } from '../../ui/Choices.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { SearchForm } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { Asked, EmptyState, PageHeader, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'

type Template = CallReply<'template-library'>['templates'][number]
const chips = ['All', 'Marketing', 'Social Media', 'Support', 'Analytics', 'E-commerce'] as const
type Chip = (typeof chips)[number]

/** The templates and prompt packs of all sellers, and the free ones of this site. */
export function TemplateLibraryPage() {
  const [search, setSearch] = useSearchParams()
  const category: Chip = chips.find((chip) => chip === search.get('category')) ?? 'All'
  const q = search.get('q') ?? ''
  const listed = useCall('template-library', { category, q }, { key: ['template-library', category, q] })
  const [older, setOlder] = useState<{ of: string; rows: Template[]; next: string | null } | null>(null)
  const [shown, setShown] = useState<Template | null>(null)
  const at = `${category}|${q}`
  const more = older?.of === at ? older : null
  const rows = [...(listed.data?.templates ?? []), ...(more?.rows ?? [])]
  const next = more ? more.next : listed.data?.next
  const narrow = (values: { category?: string; q?: string }) => {
    const wanted = { category, q, ...values }
    setSearch({ ...(wanted.category !== 'All' && { category: wanted.category }), ...(wanted.q && { q: wanted.q }) }, { replace: true })
  }
  const showMore = () =>
    attempt('No more were loaded', async () => {
      const page = await call('template-library', { category, q, after: next! })
      setOlder({ of: at, rows: [...(more?.rows ?? []), ...page.templates], next: page.next })
    })
  return (
    <>
      <PageHeader
        title="Template Library"
        description="Workflow templates and prompt packs. A template is a file to download for now; installing it into your workspace opens together with AI Workflows."
      />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Choices label="Category" of={chips} chosen={category} choose={(category) => narrow({ category })} />
        <SearchForm label="Search templates" value={q} onSearch={(words) => narrow({ q: words })} />
      </div>
      <Panel flush>
        <Asked query={listed} skeleton="m-4 h-64" failed="The templates could not be loaded" />
        {listed.data && !rows.length ? (
          <EmptyState
            compact
            title="No templates here"
            action={<Button onClick={() => narrow({ category: 'All', q: '' })}>Show all</Button>}
          >
            {q ? 'No template matches these words.' : 'Nobody has published one in this category yet.'}
          </EmptyState>
        ) : null}
        <ul className="divide-y divide-line">
          {rows.map((template) => (
            <Row key={template.id} template={template} onShow={() => setShown(template)} />
          ))}
        </ul>
        {next ? (
          <div className="border-t border-line p-3">
            <Button onClick={showMore}>Show more</Button>
          </div>
        ) : null}
      </Panel>
      <Dialog open={Boolean(shown)} onClose={() => setShown(null)} title={shown?.title ?? ''} side="right">
        {shown ? <Detail template={shown} /> : null}
      </Dialog>
    </>
  )
}

const kindNames = { template: 'Workflow template', prompt_pack: 'Prompt pack' } as const
const priceOf = ({ price_cents, currency }: Template) => (price_cents ? money(price_cents, currency) : 'Free')

function Row({ template, onShow }: { template: Template; onShow: () => void }) {
  const { title, summary, category, kind, connections, seller } = template
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-13">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-2">
          <button type="button" onClick={onShow} className="text-left text-14 font-medium hover:underline">
            {title}
          </button>
          <Pill>{category}</Pill>
        </p>
        <p className="mt-0.5 max-w-[72ch] text-muted">{summary}</p>
        <p className="mt-0.5 text-12 text-faint">
          {kindNames[kind]} by {seller.name}
          {connections.length ? ` · needs ${connections.map(nameOf).join(', ')}` : ''}
        </p>
      </div>
      <span className="font-mono text-12 tabular">{priceOf(template)}</span>
      <Get template={template} />
    </li>
  )
}

function Get({ template }: { template: Template }) {
  if (template.free_path)
    return (
      <a href={template.free_path} download className={buttonClass({})} aria-label={`Download ${template.title}`}>
        <Download />
        Download
      </a>
    )
  return (
    <ButtonLink to={paths.product(template.seller.slug, template.key)} aria-label={`See product: ${template.title}`}>
      <ExternalLink />
      See product
    </ButtonLink>
  )
}

function Detail({ template }: { template: Template }) {
  const { summary, steps, connections, seller } = template
  return (
    <div className="flex flex-col gap-5 text-13">
      <p className="text-muted">{summary}</p>
      {steps.length ? (
        <section>
          <h3 className="mb-2 text-13 font-semibold">{steps.length} steps</h3>
          <ol className="divide-y divide-line rounded-panel hairline">
            {steps.map(({ id, type }, index) => (
              <li key={id} className="flex items-baseline gap-3 px-3 py-2">
                <span className="font-mono text-12 text-faint">{index + 1}</span>
                <span className="min-w-0 flex-1 break-words">{id.replaceAll('_', ' ')}</span>
                <span className="font-mono text-12 break-all text-faint">{type}</span>
              </li>
            ))}
          </ol>
        </section>
      ) : null}
      {connections.length ? <p className="text-muted">Needs a connection to {connections.map(nameOf).join(', ')}.</p> : null}
      <p className="text-muted">
        {priceOf(template)}, by{' '}
        <Link to={paths.storefront(seller.slug)} className="underline decoration-control underline-offset-2">
          {seller.name}
        </Link>
      </p>
      <span>
        <Get template={template} />
      </span>
    </div>
  )
}

// A manifest writes ids with underscores.
const nameOf = (app: string) => appName(app.replaceAll('_', '-'))
