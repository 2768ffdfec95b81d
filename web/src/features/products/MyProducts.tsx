import { Archive, ArchiveRestore, Copy, Ellipsis, ExternalLink, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Confirm } from '../../ui/Dialog.tsx'
import { SearchForm } from '../../ui/Field.tsx'
import { ago, money } from '../../ui/format.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { Asked, EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { Coupons } from './Coupons.tsx'
import { newKey, type Row, type Status, useProducts, useProductsChanged } from './queries.ts'

const states: { id: Status | undefined; name: string }[] = [
  { id: undefined, name: 'All' },
  { id: 'active', name: 'Active' },
  { id: 'draft', name: 'Drafts' },
  { id: 'archived', name: 'Archived' },
]

type Move = 'publish' | 'archive' | 'restore'

/** The seller's products, with what is done to one or to several of them. */
export function MyProducts({ onAdd }: { onAdd: () => void }) {
  const [search, setSearch] = useSearchParams()
  const status = states.find(({ id }) => id === search.get('status'))?.id
  const q = search.get('q') ?? ''
  const products = useProducts(status, q)
  const changed = useProductsChanged()
  const [chosen, setChosen] = useState<string[]>([])
  const [deleting, setDeleting] = useState<Row | null>(null)
  const [older, setOlder] = useState<{ of: string; rows: Row[]; next: string | null } | null>(null)
  const at = `${status}|${q}`
  const more = older?.of === at ? older : null
  const rows = [...(products.data?.products ?? []), ...(more?.rows ?? [])]
  const next = more ? more.next : products.data?.next
  const { counts } = products.data ?? {}
  const narrow = (values: { status?: string; q?: string }) => {
    const wanted = { status: status ?? '', q, ...values }
    setChosen([])
    setSearch({ tab: 'products', ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value)) }, { replace: true })
  }

  async function move(ids: string[], to: Move) {
    await attempt('Nothing was changed', async () => {
      const { moved, refused } = await call('move-products', { item_ids: ids, to }, { idempotencyKey: newKey() })
      setChosen([])
      setOlder(null)
      changed()
      if (refused.length) {
        const name = rows.find(({ id }) => id === refused[0]!.item_id)?.name
        toast.error(`${name ?? 'A product'} was not published`, refused[0]!.reason)
      }
      if (!moved.length) return
      const what = moved.length === 1 ? (rows.find(({ id }) => id === moved[0])?.name ?? '1 product') : `${moved.length} products`
      if (to === 'archive') toast.undo(`${what} archived`, () => void move(moved, 'restore'))
      else toast.success(`${what} ${to === 'publish' ? 'published' : 'restored'}`)
    })
  }
  const remove = ({ id, name }: Row) =>
    attempt(`${name} was not deleted`, async () => {
      const { refused } = await call('delete-products', { item_ids: [id] }, { idempotencyKey: newKey() })
      changed()
      if (refused.length) toast.error(`${name} was not deleted`, refused[0]!.reason)
      else toast.success(`${name} deleted`)
    })
  const showMore = () =>
    attempt('No more were loaded', async () => {
      const page = await call('list-products', { ...(status && { status }), q, after: next! })
      setOlder({ of: at, rows: [...(more?.rows ?? []), ...page.products], next: page.next })
    })

  return (
    <div className="flex flex-col gap-6 pt-5">
      <div>
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <fieldset className="flex min-w-0 gap-1 overflow-x-auto" aria-label="Status">
            {states.map(({ id, name }) => (
              <Button
                key={name}
                variant="ghost"
                aria-pressed={status === id}
                className={cx('max-md:px-2.5', status === id && 'bg-raised !text-text')}
                onClick={() => narrow({ status: id ?? '' })}
              >
                {name}
                {id && counts ? <span className="font-mono text-12 text-faint">{counts[id]}</span> : null}
              </Button>
            ))}
          </fieldset>
          <SearchForm label="Search your products" value={q} onSearch={(words) => narrow({ q: words })} />
        </div>
        <Panel flush>
          {chosen.length ? (
            <div className="flex flex-wrap items-center gap-2 border-b border-line bg-raised px-4 py-2 text-13">
              <span className="mr-auto font-medium">{chosen.length} selected</span>
              <Button onClick={() => move(chosen, 'publish')}>Publish</Button>
              {status === 'archived' ? (
                <Button onClick={() => move(chosen, 'restore')}>Restore</Button>
              ) : (
                <Button onClick={() => move(chosen, 'archive')}>Archive</Button>
              )}
              <Button variant="ghost" onClick={() => setChosen([])}>
                Clear
              </Button>
            </div>
          ) : null}
          <Asked query={products} skeleton="m-4 h-40" failed="Your products could not be loaded" />
          {products.data && !rows.length ? (
            q || status ? (
              <EmptyState compact title="No products here" action={<Button onClick={() => narrow({ status: '', q: '' })}>Show all</Button>}>
                {q ? 'None of your products has these words in its name.' : 'None of your products is in this state.'}
              </EmptyState>
            ) : (
              <EmptyState
                title="No products yet"
                action={
                  <Button variant="primary" onClick={onAdd}>
                    New product
                  </Button>
                }
              >
                Sell templates, prompt packs, files or a service. Your storefront opens with the first one you publish.
              </EmptyState>
            )
          ) : null}
          <ul className="divide-y divide-line">
            {rows.map((product) => (
              <ProductRow
                key={product.id}
                product={product}
                chosen={chosen.includes(product.id)}
                onChoose={() =>
                  setChosen(chosen.includes(product.id) ? chosen.filter((id) => id !== product.id) : [...chosen, product.id].slice(-50))
                }
                onMove={(to) => move([product.id], to)}
                onDelete={() => setDeleting(product)}
              />
            ))}
          </ul>
          {q.length > 0 && q.length < 3 ? (
            <p className="px-4 py-3 text-12 text-faint">
              One or two letters search the 2,000 products you changed last. Add a letter to search all.
            </p>
          ) : null}
          {next ? (
            <div className="border-t border-line p-3">
              <Button onClick={showMore}>Show more</Button>
            </div>
          ) : null}
        </Panel>
      </div>
      <Coupons products={rows} />
      <Confirm
        open={Boolean(deleting)}
        onClose={() => setDeleting(null)}
        title={`Delete ${deleting?.name ?? ''}?`}
        action="Delete draft"
        danger
        onConfirm={() => remove(deleting!)}
      >
        The draft and its texts are gone for good. Files that you uploaded stay in your storage.
      </Confirm>
    </div>
  )
}

type RowProps = { product: Row; chosen: boolean; onChoose: () => void; onMove: (to: Move) => void; onDelete: () => void }
function ProductRow({ product, chosen, onChoose, onMove, onDelete }: RowProps) {
  const navigate = useNavigate()
  const changed = useProductsChanged()
  const { id, name, status } = product
  const duplicate = () =>
    attempt(`${name} was not copied`, async () => {
      const { item_id } = await call('duplicate-product', { item_id: id }, { idempotencyKey: newKey() })
      changed()
      navigate(paths.editProduct(item_id))
    })
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 text-13">
      <input
        type="checkbox"
        checked={chosen}
        onChange={onChoose}
        aria-label={`Select ${name}`}
        className="size-4 shrink-0 appearance-none rounded-[4px] border border-control bg-page bg-center bg-no-repeat checked:border-signal checked:bg-signal checked:bg-[url(./check.svg)] max-md:size-6"
      />
      <Thumb src={product.image} />
      <div className="min-w-0 flex-1">
        <Link to={paths.editProduct(id)} className="block truncate font-medium hover:underline">
          {name}
        </Link>
        <p className="truncate text-12 text-faint">
          {product.category} · {money(product.price_cents, product.currency)} ·{' '}
          {product.sales === 1 ? '1 sale' : `${product.sales.toLocaleString('en-US')} sales`} ·{' '}
          {product.rating === null ? 'No reviews yet' : `${product.rating.toFixed(1)} of 5`}
          {product.messages ? ` · ${product.messages} unread` : ''}
        </p>
      </div>
      <span className="flex shrink-0 flex-wrap justify-end gap-1">
        {product.suspended ? <Pill tone="bad">Taken down</Pill> : null}
        {product.changed ? <Pill tone="warn">Changed</Pill> : null}
        <Pill tone={status === 'active' && !product.suspended ? 'good' : 'neutral'}>{status}</Pill>
      </span>
      <span className="w-12 text-right font-mono text-12 text-faint tabular max-md:hidden">{ago(product.updated_at)}</span>
      <Menu
        trigger={(props) => (
          <IconButton label={`Actions for ${name}`} {...props}>
            <Ellipsis />
          </IconButton>
        )}
      >
        {product.path ? (
          <MenuItem icon={<ExternalLink />} to={product.path}>
            See it in the storefront
          </MenuItem>
        ) : null}
        {status !== 'archived' && (status === 'draft' || product.changed) ? (
          <MenuItem icon={<Send />} onSelect={() => onMove('publish')}>
            Publish
          </MenuItem>
        ) : null}
        <MenuItem icon={<Copy />} onSelect={duplicate}>
          Duplicate
        </MenuItem>
        {status === 'archived' ? (
          <MenuItem icon={<ArchiveRestore />} onSelect={() => onMove('restore')}>
            Restore
          </MenuItem>
        ) : (
          <MenuItem icon={<Archive />} onSelect={() => onMove('archive')}>
            Archive
          </MenuItem>
        )}
        {status === 'draft' ? (
          <>
            <MenuSeparator />
            <MenuItem icon={<Trash2 />} danger onSelect={onDelete}>
              Delete draft
            </MenuItem>
          </>
        ) : null}
      </Menu>
    </li>
  )
}

function Thumb({ src }: { src: string | null }) {
  if (!src) return <span aria-hidden="true" className="hidden h-9 w-14 shrink-0 rounded-control bg-raised sm:block" />
  return (
    <img
      src={`${src}?w=480`}
      alt=""
      width={56}
      height={36}
      loading="lazy"
      className="hidden h-9 w-14 shrink-0 rounded-control bg-raised object-cover sm:block"
    />
  )
}
