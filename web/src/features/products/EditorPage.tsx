import { SMALLEST_PRICE_CENTS, sellerShare } from '@operon/contracts/billing/rates'
import { ArrowLeft, ExternalLink } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useParams } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Options, SelectField, TextArea, TextField } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { Alert, ErrorState, PageHeader, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { Analytics } from './Analytics.tsx'
import { Files } from './Files.tsx'
import { centsOf, keeps, smallestPrice } from './NewProduct.tsx'
import { Pictures } from './Pictures.tsx'
import { Preview } from './Preview.tsx'
import { categories, type Kind, kindNames, newKey, type Product, useProduct, useProductsChanged } from './queries.ts'
import { Versions } from './Versions.tsx'
import { Workflow } from './Workflow.tsx'

/** Typed and not saved yet. */
export type Draft = {
  title: string
  summary: string
  description: string
  category: string
  item_type: string
  kind: Kind
  price: string
  slug: string
  licence_terms: string
  notes: string
  activation_limit: string
  image_ids: string[]
}

export function EditorPage() {
  const { itemId = '' } = useParams()
  const product = useProduct(itemId)
  if (product.isError)
    return (
      <Panel flush>
        <ErrorState title="This product could not be loaded" error={product.error} retry={() => product.refetch()}>
          {product.error.status === 404 ? 'It was deleted, or belongs to another account.' : undefined}
        </ErrorState>
      </Panel>
    )
  if (!product.data)
    return (
      <>
        <PageHeader title={<Skeleton className="h-8 w-72" />} />
        <Skeleton className="h-96" />
      </>
    )
  return <Editor key={product.data.id} product={product.data} />
}

const draftOf = (product: Product): Draft => ({
  title: product.title,
  summary: product.summary,
  description: product.description,
  category: product.category,
  item_type: product.item_type,
  kind: product.kind,
  price: (product.price_cents / 100).toFixed(2),
  slug: product.slug ?? '',
  licence_terms: product.licence_terms,
  notes: product.next.notes,
  activation_limit: product.next.activation_limit ? String(product.next.activation_limit) : '',
  image_ids: product.images.map(({ file_id }) => file_id),
})
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

function Editor({ product }: { product: Product }) {
  const changed = useProductsChanged()
  const [draft, setDraft] = useState(() => draftOf(product))
  const [busy, setBusy] = useState<'save' | 'publish' | null>(null)
  const [tab, setTab] = useState<'edit' | 'versions' | 'analytics'>('edit')
  const known = draftOf(product)
  const cents = centsOf(draft.price)
  const priceOk = cents >= SMALLEST_PRICE_CENTS
  const dirty = !same(draft, known)
  const set = (values: Partial<Draft>) => setDraft({ ...draft, ...values })
  const field = <K extends keyof Draft>(name: K) => ({
    value: draft[name] as string,
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value } as Partial<Draft>),
  })
  useLeaving(dirty)

  async function save(): Promise<Product | null> {
    if (!dirty) return product
    const values = {
      title: draft.title.trim(),
      summary: draft.summary.trim(),
      description: draft.description.trim(),
      category: draft.category,
      item_type: draft.item_type.trim(),
      kind: draft.kind,
      licence_terms: draft.licence_terms.trim(),
      image_ids: draft.image_ids,
      ...(cents !== product.price_cents && { price_cents: cents }),
      ...(draft.slug !== known.slug && { slug: draft.slug || null }),
      ...(draft.notes !== known.notes && { notes: draft.notes }),
      ...(draft.activation_limit !== known.activation_limit && {
        activation_limit: draft.activation_limit ? Number(draft.activation_limit) : null,
      }),
    }
    const saved = await call('update-product', { item_id: product.id, ...values }, { idempotencyKey: newKey() })
    changed(saved)
    setDraft(draftOf(saved))
    return saved
  }
  const saveOnly = () =>
    act('save', 'The product was not saved', async () => {
      await save()
      toast.success(product.status === 'active' ? 'Saved. Texts and pictures are live; publish to put the rest on sale' : 'Draft saved')
    })
  const publish = () =>
    act('publish', 'The product was not published', async () => {
      await save()
      const { url } = await call('publish-product', { item_id: product.id }, { idempotencyKey: newKey() })
      const published = await call('read-product', { item_id: product.id })
      changed(published)
      setDraft(draftOf(published))
      toast.success('Published', new URL(url).pathname)
    })
  async function act(what: 'save' | 'publish', failure: string, work: () => Promise<unknown>) {
    setBusy(what)
    await attempt(failure, work)
    setBusy(null)
  }
  return (
    <>
      <Link
        to={`${paths.manage}?tab=products`}
        className="mb-2 inline-flex items-center gap-1.5 text-13 text-muted hover:text-text max-md:py-2"
      >
        <ArrowLeft className="size-3.5" />
        My Products
      </Link>
      <PageHeader
        title={draft.title || 'Product'}
        badge={
          <span className="flex gap-1">
            <Pill tone={product.status === 'active' ? 'good' : 'neutral'}>{product.status}</Pill>
            {product.changed || (dirty && product.status === 'active') ? <Pill tone="warn">Changed</Pill> : null}
          </span>
        }
        actions={
          <>
            {product.path ? (
              <ButtonLink to={product.path} target="_blank">
                <ExternalLink />
                See it
              </ButtonLink>
            ) : null}
            <Button busy={busy === 'save'} disabled={!dirty || !priceOk || !draft.title.trim()} onClick={saveOnly}>
              Save
            </Button>
            <Button
              variant="primary"
              busy={busy === 'publish'}
              disabled={!priceOk || !draft.title.trim() || (product.status === 'active' && !product.changed && !dirty)}
              onClick={publish}
            >
              {product.status === 'active' ? 'Publish changes' : 'Publish'}
            </Button>
          </>
        }
      />
      {product.suspended_because ? (
        <Alert tone="bad" title="Taken down" className="mb-4">
          {product.suspended_because} Nobody can buy it. Its buyers keep what they bought.
        </Alert>
      ) : null}
      {product.missing.length ? (
        <Alert tone="info" title="Before you can publish" className="mb-4">
          <ul className="list-disc pl-4">
            {product.missing.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Alert>
      ) : null}
      <Tabs
        label="Product"
        value={tab}
        onChange={setTab}
        tabs={[
          { id: 'edit', label: 'Edit', panel: form() },
          { id: 'versions', label: 'Versions', panel: <Versions product={product} /> },
          { id: 'analytics', label: 'Analytics', panel: <Analytics itemId={product.id} /> },
        ]}
      />
    </>
  )

  function form() {
    return (
      <div className="grid items-start gap-6 pt-5 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <Panel title="What it is">
            <div className="grid gap-4 sm:grid-cols-2">
              <TextField label="Name" required maxLength={120} fieldClassName="sm:col-span-2" {...field('title')} />
              <TextField
                label="In one sentence"
                maxLength={300}
                fieldClassName="sm:col-span-2"
                hint="Shown in lists, search results and link previews."
                {...field('summary')}
              />
              <TextArea
                label="Description"
                maxLength={10_000}
                className="min-h-40"
                fieldClassName="sm:col-span-2"
                {...field('description')}
              />
              <SelectField label="What buyers get" {...field('kind')}>
                <Options of={Object.entries(kindNames)} />
              </SelectField>
              <TextField label="Type, as buyers read it" maxLength={40} {...field('item_type')} />
              <SelectField label="Category" {...field('category')}>
                {[...new Set([draft.category, ...categories])].map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </SelectField>
              <TextField
                label="Address"
                maxLength={80}
                placeholder="Made from the name"
                pattern="[a-z0-9][a-z0-9\-]*"
                autoCapitalize="none"
                hint={
                  product.slug && draft.slug !== product.slug ? 'The old address will lead to the new one.' : 'The last part of its link.'
                }
                value={draft.slug}
                onChange={(event) => set({ slug: event.target.value.toLowerCase() })}
              />
            </div>
          </Panel>
          <Panel title="Price">
            <TextField
              label="Price in US dollars"
              inputMode="decimal"
              error={priceOk ? undefined : smallestPrice}
              hint={keeps(cents)}
              {...field('price')}
            />
            {priceOk ? <Share cents={cents} /> : null}
          </Panel>
          <Pictures ids={draft.image_ids} product={product} onChange={(image_ids) => set({ image_ids })} />
          {draft.kind === 'template' ? <Workflow product={product} onChanged={changed} /> : null}
          <Files product={product} onChanged={changed} />
          <Panel title="License">
            <div className="flex flex-col gap-4">
              <TextArea
                label="License terms"
                maxLength={10_000}
                placeholder="What buyers may do with it. Buyers keep the terms of the version they bought."
                {...field('licence_terms')}
              />
              <TextField
                label="License keys: machines per key"
                type="number"
                min={1}
                max={1000}
                step={1}
                hint="Each buyer gets a key that your software can check. Empty: no keys."
                {...field('activation_limit')}
              />
              {draft.activation_limit ? <CheckHow itemId={product.id} /> : null}
            </div>
          </Panel>
          <Panel title={`Notes for version ${product.next.number}`}>
            <TextArea
              label="What is new"
              maxLength={5000}
              hint="Buyers of earlier versions read it when they are offered this one."
              {...field('notes')}
            />
          </Panel>
        </div>
        <div className="lg:sticky lg:top-20">
          <Preview draft={draft} cents={priceOk ? cents : product.price_cents} files={product.next.files.length} />
        </div>
      </div>
    )
  }
}

/** The two parts of the price, to scale. */
function Share({ cents }: { cents: number }) {
  return (
    <div className="mt-3">
      <div aria-hidden="true" className="flex gap-1">
        <span className="h-3 rounded-full bg-signal" style={{ flexGrow: 80 }} />
        <span className="h-3 rounded-full bg-raised hairline" style={{ flexGrow: 20 }} />
      </div>
      <p className="mt-1.5 text-12 text-faint">
        Of {money(cents)}, {money(sellerShare(cents))} is yours. The rest pays for the card, the payout and this marketplace.
      </p>
    </div>
  )
}

function CheckHow({ itemId }: { itemId: string }) {
  const example = `curl ${location.origin}/functions/v1/check-licence -H 'content-type: application/json' \\
  -d '{"key":"<the buyer’s key>","item_id":"${itemId}","machine":"<its id>"}'`
  return (
    <div>
      <p className="mb-1.5 text-13 font-medium">How your software asks</p>
      <Code>{example}</Code>
      <p className="mt-1.5 text-12 text-faint">
        activate-licence and deactivate-licence take the same three. Up to 30 calls a minute from one address.{' '}
        <a href="/docs" className="underline">
          Reference
        </a>
      </p>
    </div>
  )
}
const Code = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
  <pre tabIndex={0} className="overflow-x-auto rounded-control bg-raised p-3 font-mono text-12 text-muted hairline">
    {children}
  </pre>
)

/** The browser asks before what was typed is lost. */
function useLeaving(dirty: boolean) {
  useEffect(() => {
    if (!dirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [dirty])
}
