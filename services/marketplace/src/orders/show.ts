import { settleSale } from '@operon/contracts/billing/selling-events'
import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/orders'
import { REFUND_WINDOW_DAYS } from '@operon/contracts/plans'
import { DAY_MS, now } from '@operon/kit/clock'
import { type Ctx, signedIn, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { openKey } from '../licences/keys.ts'
import { requestJson } from '../refunds/requests.ts'
import type { MarketplaceDb } from '../schema.ts'
import { pictureAt } from '../storefront/offers.ts'
import { isOwned, type OrderRow, orderOf } from './access.ts'
import { sellerOf } from './cart.ts'

type Db = Ctx<MarketplaceDb>['db']
type Vault = Runtime['vault']
type Shown = Output<typeof contract.showOrder>
type Line = Shown['lines'][number]

export const showOrder =
  ({ ask, vault }: Pick<Runtime<MarketplaceDb, Config>, 'ask' | 'vault'>) =>
  async (ctx: Ctx<MarketplaceDb>, ref: Input<typeof contract.showOrder>): Promise<Shown> => {
    const order = await orderOf(vault, ctx, ref)
    const [state, seller, lines, asked] = await Promise.all([
      stateOf(ask, order),
      sellerOf(ctx.db, order.seller_id),
      linesOf(ctx.db, vault, order),
      ctx.db.selectFrom('refund_requests').selectAll().where('order_id', '=', order.id).executeTakeFirst(),
    ])
    const until = order.delivered_at && new Date(order.delivered_at.getTime() + REFUND_WINDOW_DAYS * DAY_MS)
    return {
      ...{ id: order.id, state, title: order.title, currency: order.currency, refunded_cents: order.refunded_cents, seller },
      amount_cents: order.amount_cents + order.tax_cents,
      tax_cents: order.tax_cents,
      discount_cents: order.discount_cents,
      at: order.created_at.toISOString(),
      delivered_at: order.delivered_at?.toISOString() ?? null,
      email: order.email,
      lines: lines.map((line) => ({ ...line, path: line.path && seller.slug ? `/marketplace/${seller.slug}/${line.path}` : null })),
      mine: order.buyer_id !== null && order.buyer_id === userIdOf(ctx.actor),
      claimed: order.buyer_id !== null,
      refund: asked ? requestJson(asked, order) : null,
      refundable_until: !asked && isOwned(order) && until && until.getTime() > now() ? until.toISOString() : null,
    }
  }

/** Until it is delivered, billing looks at the payment itself. */
async function stateOf(ask: Runtime['ask'], order: OrderRow): Promise<Shown['state']> {
  if (order.state !== 'open') return order.state
  const { state } = await ask(settleSale, { kind: 'product', reference: order.id })
  return state === 'settled' ? 'paid' : state === 'failed' || state === 'expired' ? 'failed' : 'open'
}

type LineRow = {
  item_id: string
  title: string
  amount_cents: number
  slug: string | null
  is_active: boolean | null
  image_ids: string[] | null
  kept_version_id: string | null
  version_id: string | null
  number: number | null
  bought_terms: string | null
  current_version_id: string | null
  current_number: number | null
  notes: string | null
  current_terms: string | null
  published_at: Date | null
  review: Line['review']
  sealed_key: { id: string; sealed: string; activation_limit: number; activations: number } | null
}

async function linesOf(db: Db, vault: Vault, order: OrderRow): Promise<Line[]> {
  const { rows } = await sql<LineRow>`
    select l.item_id, l.title, l.amount_cents, i.slug, i.is_active, i.image_ids, l.kept_version_id, l.version_id, k.number,
      b.licence_terms as bought_terms, i.current_version_id, c.number as current_number, c.notes, c.licence_terms as current_terms, c.published_at,
      (select jsonb_build_object('id', r.id, 'rating', r.rating, 'text', r.text, 'name', r.name, 'photo_ids', r.photo_ids)
        from reviews r where r.order_id = l.order_id and r.item_id = l.item_id) as review,
      (select jsonb_build_object('id', y.id, 'sealed', y.sealed, 'activation_limit', y.activation_limit,
        'activations', (select count(*) from activations a where a.key_id = y.id))
        from license_keys y where y.order_id = l.order_id and y.item_id = l.item_id) as sealed_key
    from order_lines l left join items i on i.id = l.item_id
      left join item_versions k on k.id = l.kept_version_id left join item_versions b on b.id = l.version_id
      left join item_versions c on c.id = i.current_version_id
    where l.order_id = ${order.id} order by l.position`.execute(db)
  if (!isOwned(order)) return rows.map((row) => lineJson(row, { files: [], update: null, key: null }))
  const files = await filesOf(
    db,
    rows.flatMap(({ version_id, kept_version_id, current_version_id }) => [version_id, kept_version_id, current_version_id]),
  )
  return rows.map((row) => {
    const had = files.get(row.kept_version_id ?? '') ?? []
    const { sealed_key: known } = row
    const key = known && { key: openKey(vault, known), activation_limit: known.activation_limit, activations: known.activations }
    return lineJson(row, { files: had, key, update: updateOf(row, had, files.get(row.current_version_id ?? '') ?? []) })
  })
}

type Has = Pick<Line, 'update' | 'key'> & { files: File[] }
const lineJson = (row: LineRow, { files, update, key }: Has): Line => ({
  ...{ item_id: row.item_id, title: row.title, amount_cents: row.amount_cents, version: row.number, review: row.review, update, key },
  path: row.is_active ? (row.slug ?? row.item_id) : null,
  picture: row.is_active && row.image_ids?.[0] ? pictureAt(row.image_ids[0]) : null,
  licence_terms: row.bought_terms ?? '',
  files: files.map(({ file_id, name, bytes, type }) => ({ file_id, name, bytes: Number(bytes), type })),
})

type File = { version_id: string; file_id: string; name: string; bytes: number; type: string; sha256: string }
async function filesOf(db: Db, versions: (string | null)[]): Promise<Map<string, File[]>> {
  const ids = [...new Set(versions.filter((id) => id !== null))]
  if (!ids.length) return new Map()
  const rows = await db
    .selectFrom('version_files')
    .select(['version_id', 'file_id', 'name', 'bytes', 'type', 'sha256'])
    .where('version_id', 'in', ids)
    .where('scan', '!=', 'infected')
    .orderBy('position')
    .execute()
  return Map.groupBy(rows, ({ version_id }) => version_id)
}

/** Another price alone is no update: its files are the same, and nothing is said of it. */
function updateOf(row: LineRow, had: File[], has: File[]): Line['update'] {
  const { kept_version_id, number, current_version_id, current_number, notes, published_at } = row
  if (!current_version_id || current_version_id === kept_version_id || !current_number || !published_at) return null
  if (number !== null && current_number <= number) return null
  const added = has.filter(({ name }) => !had.some((before) => before.name === name)).map(({ name }) => name)
  const removed = had.filter(({ name }) => !has.some((after) => after.name === name)).map(({ name }) => name)
  const changed = has
    .filter(({ name, sha256 }) => had.some((before) => before.name === name && before.sha256 !== sha256))
    .map(({ name }) => name)
  if (!added.length && !removed.length && !changed.length && !notes) return null
  return {
    ...{ version: current_number, notes: notes ?? '', at: published_at.toISOString(), added, changed, removed },
    other_terms: row.bought_terms !== row.current_terms,
  }
}

/** The files of both stay: those of the version that was bought, and those of the newest that was taken. */
export const takeUpdate =
  ({ vault }: Pick<Runtime<MarketplaceDb, Config>, 'vault'>) =>
  async (ctx: Ctx<MarketplaceDb>, { item_id, ...ref }: Input<typeof contract.takeUpdate>): Promise<Output<typeof contract.takeUpdate>> => {
    const order = await orderOf(vault, ctx, ref)
    const { rows } = await sql<{ number: number }>`
      update order_lines l set kept_version_id = v.id from items i join item_versions v on v.id = i.current_version_id
      where l.order_id = ${order.id} and l.item_id = ${item_id} and i.id = l.item_id
        and exists (select from orders o where o.id = l.order_id and o.state = 'delivered')
      returning v.number`.execute(ctx.db)
    if (!rows[0]) throw new DomainError('not_found')
    return { version: rows[0].number }
  }

const PAGE = 30
type Listed = {
  id: string
  title: string
  state: 'open' | 'delivered' | 'refunded'
  currency: string
  refunded_cents: number
  created_at: Date
  amount: number
}
const briefJson = ({ id, title, state, currency, refunded_cents, created_at, amount }: Listed) => ({
  ...{ id, title, state, currency, refunded_cents },
  amount_cents: amount,
  at: created_at.toISOString(),
})

/** Whether a version with other files, or with notes, is out for one of its products. By each order's lines: an `exists` may be planned as one pass through all lines. */
export const hasUpdate = sql<boolean>`coalesce((
  select true from order_lines l join items i on i.id = l.item_id join item_versions c on c.id = i.current_version_id
  where l.order_id = o.id and o.state = 'delivered' and l.kept_version_id is distinct from c.id
    and (c.notes <> '' or array(select sha256 from version_files f where f.version_id = c.id order by sha256)
      <> array(select sha256 from version_files f where f.version_id = l.kept_version_id order by sha256)) limit 1), false)`

export async function myOrders(
  ctx: Ctx<MarketplaceDb>,
  { cursor }: Input<typeof contract.myOrders>,
): Promise<Output<typeof contract.myOrders>> {
  const { id: userId } = signedIn(ctx)
  if (cursor !== undefined && !isUuid(cursor)) throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  const { rows } = await sql<Listed & { update: boolean; seller: string | null }>`
    select o.id, o.title, o.state, o.currency, o.refunded_cents, o.created_at, o.amount_cents + o.tax_cents as amount, ${hasUpdate} as update,
      coalesce(nullif(p.business_name, ''), p.display_name, p.marketplace_slug) as seller
    from orders o left join profiles p on p.user_id = o.seller_id
    where o.buyer_id = ${userId} and o.state <> 'open' ${cursor ? sql`and o.id < ${cursor}` : sql``}
    order by o.id desc limit ${PAGE + 1}`.execute(ctx.db)
  return {
    orders: rows.slice(0, PAGE).map((row) => ({ ...briefJson(row), seller: row.seller ?? 'The seller', update: row.update })),
    cursor: rows.length > PAGE ? rows[PAGE - 1]!.id : null,
  }
}

const FOUND = 20
/**
 * Of the seller's newest so many are looked through before the index of all is asked: a word that stands in everything must not read everything.
 * One or two letters are looked for among these alone, since the index knows parts of words from three letters on.
 */
const LATELY = 2_000
export async function findOrder(
  ctx: Ctx<MarketplaceDb>,
  { query }: Input<typeof contract.findOrder>,
): Promise<Output<typeof contract.findOrder>> {
  const { id: seller } = signedIn(ctx)
  const word = query.toLowerCase()
  // An order that is named is found whenever it was.
  const named = isUuid(word)
  const short = !named && query.length < 3
  const ids = named ? sql`select id from orders where id = ${word} and seller_id = ${seller}` : withWord(seller, word, short)
  const { rows } = await sql<Listed & { email: string | null; thread_id: string | null }>`
    with found as materialized (${ids})
    select o.id, o.title, o.state, o.currency, o.refunded_cents, o.created_at, o.amount_cents + o.tax_cents as amount, o.email, t.id as thread_id
    from found join orders o using (id) left join threads t on t.order_id = o.id
    where o.state <> 'open' order by o.id desc limit ${FOUND + 1}`.execute(ctx.db)
  const more = rows.length > FOUND
  const older = short && !more ? await olderThan(ctx.db, seller) : undefined
  return {
    orders: rows.slice(0, FOUND).map((row) => ({ ...briefJson(row), email: row.email, thread_id: row.thread_id })),
    more,
    ...(older && { searched_back_to: older.created_at.toISOString() }),
  }
}

/** The beginning of one, with its @. Its parts ("com", "gmail") stand in every other order, and the index of parts would collect all of these. */
const isAddress = (word: string) => /^[^\s@]+@/.test(word)

function withWord(seller: string, word: string, short: boolean) {
  const fits = sql`lower(coalesce(email, '') || ' ' || title) like ${`%${word.replace(/[\\%_]/g, '\\$&')}%`} and state <> 'open'`
  const lately = sql`
    select id from (select * from orders where seller_id = ${seller} order by id desc limit ${LATELY}) newest
    where ${fits} order by id desc limit ${FOUND + 1}`
  if (short) return lately
  const older = isAddress(word) ? sql`lower(email) ~>=~ ${word} and lower(email) ~<~ ${`${word}\u{10ffff}`} and state <> 'open'` : fits
  return sql`
    with lately as materialized (${lately}),
    ever as materialized (select id from orders where (select count(*) from lately) <= ${FOUND} and seller_id = ${seller} and ${older})
    select id from lately union (select id from ever order by id desc limit ${FOUND + 1})`
}

/** The first that was not looked through. */
async function olderThan(db: Db, seller: string): Promise<{ created_at: Date } | undefined> {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from orders where id = (select id from orders where seller_id = ${seller} order by id desc offset ${LATELY} limit 1)`.execute(
    db,
  )
  return rows[0]
}
