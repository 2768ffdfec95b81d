import { userUpdated } from '@operon/contracts/identity/events'
import { listingModerated } from '@operon/contracts/marketplace/trust'
import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startBilling, type TestBilling } from '../fixture.ts'
import { lockBalance } from '../sellers/balance.ts'
import { type Selling, sellingOn } from '../sellers/fixture.ts'
import { keepModerated } from '../sellers/moderated.ts'
import { runFriday, START, undecided } from './friday.ts'

let billing: TestBilling
let selling: Selling
beforeAll(async () => {
  billing = await startBilling()
  selling = sellingOn(billing)
})
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const account = async (user: { id: string }) =>
  billing.db.selectFrom('seller_accounts').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow()
/** By a comparison that begins now. */
async function differences() {
  const books = async (more = {}) => (await billing.call('staff-books', billing.staff(), { reason: 'Compared', ...more })).body
  const before = (await books({ compare_again: true })).compared_at
  await vi.waitFor(async () => expect((await books()).compared_at).not.toBe(before), within)
  return (await books()).differences
}
const matters = async () =>
  (await billing.call('staff-matters', billing.staff(), { reason: 'Morning' })).body.matters.filter(
    ({ matter }: { matter: string }) => matter === 'payout',
  )

test('a transfer that is refused for good is tried once, is due again, and waits until staff or the provider move [spec-136]', {
  timeout: 90_000,
}, async () => {
  const ann = await selling.seller()
  await selling.delivered(ann)
  await billing.order({ kind: 'status', status: 400, match: 'POST /v1/transfers', times: 1 })
  await selling.toFriday()
  await vi.waitFor(async () => expect(await selling.payouts(ann)).toMatchObject([{ status: 'returned' }]), within)
  expect(await selling.balance(ann)).toMatchObject({ due_cents: 8_000, on_its_way_cents: 0 })
  expect((await selling.next(ann)).why.map(({ code }: { code: string }) => code)).toEqual(['refused', 'bank_returned'])
  expect(await matters()).toMatchObject([{ title: 'A payout of $80.00 was refused', body: expect.stringContaining(ann.id) }])
  expect(await billing.published('billing.payout_returned', ann)).toMatchObject([{ by: 'provider', amount_cents: 8_000 }])
  await selling.advance(7)
  expect(await selling.payouts(ann)).toHaveLength(1)
  expect(billing.sandbox.truth.read({ kind: 'transfer' })).toEqual([])
  await billing.call('staff-release-payouts', billing.staff(), { user_id: ann.id, reason: 'The provider mended it' })
  await selling.advance(7)
  await selling.advance(3)
  await vi.waitFor(async () => expect(await selling.payouts(ann)).toMatchObject([{ status: 'paid', amount_cents: 8_000 }, {}]), within)
  await billing.booksMatch()
})

test('an old no undoes nothing that another instance has asked since: no transfer is left without its entry', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  await selling.delivered(ann)
  await selling.advance(7.1)
  const { rt } = billing.platform.services.billing!
  const db = rt.db as typeof billing.db
  const { iso } = (await (await fetch(`${billing.sandbox.addresses.stripe}/sandbox/api/stripe/clock`)).json()) as { iso: string }
  expect(await runFriday({ db, log: rt.log }, new Date(Date.parse(iso) + 8 * 86_400_000))).toBe(1)
  const payout = () => db.selectFrom('payouts').selectAll().where('seller_id', '=', ann.id).executeTakeFirstOrThrow()

  // Refused, and held up on its way into the books, while another instance takes a new key.
  await billing.order({ kind: 'status', status: 400, match: 'POST /v1/transfers', times: 1 })
  await db.transaction().execute(async (trx) => {
    await lockBalance(trx, ann.id, 'usd')
    await billing.sweep('billing.move_sellers')
    const waiting = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await vi.waitFor(async () => expect([await billing.faults(), (await waiting.execute(db)).rows.length]).toEqual([[], 1]), within)
    await trx
      .updateTable('payouts')
      .set({ call_key: newId(), next_at: new Date(0) })
      .where('seller_id', '=', ann.id)
      .execute()
  })
  await selling.sweep()
  await vi.waitFor(async () => expect(await payout()).toMatchObject({ state: 'sent', returned_because: null }), within)
  const { account: mine } = await account(ann)
  expect(billing.sandbox.truth.read({ kind: 'transfer' }).filter(({ destination }) => destination === mine)).toHaveLength(1)
  expect(await selling.balance(ann)).toMatchObject({ due_cents: 0, on_its_way_cents: 8_000 })
  expect(await account(ann)).toMatchObject({ refused_because: null })
  await billing.booksMatch()
})

test('a payout whose answer was lost is finished before the books are called different, and its seller is paid next time', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  await selling.delivered(ann)
  await selling.advance(7.1)
  // Made, and the answer never comes: as where the instance dies that has asked.
  await billing.order({ kind: 'reset_after', match: 'POST /v1/transfers', times: 3 })
  await selling.toFriday()
  const payout = () => billing.db.selectFrom('payouts').selectAll().where('seller_id', '=', ann.id).executeTakeFirstOrThrow()
  expect(await payout()).toMatchObject({ state: 'planned', transfer: null })
  expect(await differences()).toEqual([])
  expect(await payout()).toMatchObject({ state: 'sent' })
  expect(await account(ann)).toMatchObject({ books_differ: false })
})

test('a seller whose payout cannot be decided holds up nobody else', { timeout: 60_000 }, async () => {
  const [ann, bob] = [await selling.seller(), await selling.seller()]
  for (const user of [ann, bob]) await selling.delivered(user)
  await sql`
    create function refuse_payout() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger refuse before insert on payouts for each row when (new.seller_id = ${sql.lit(ann.id)}::uuid) execute function refuse_payout()`.execute(
    billing.db,
  )
  await selling.toFriday()
  await vi.waitFor(async () => expect(await selling.payouts(bob)).toMatchObject([{ amount_cents: 8_000 }]), within)
  expect(await selling.payouts(ann)).toEqual([])
  await sql`drop trigger refuse on payouts`.execute(billing.db)
  await selling.sweep()
  expect(await selling.payouts(ann)).toMatchObject([{ amount_cents: 8_000 }])
})

test('an account that the provider has turned away gets nothing more, and its seller reads why', { timeout: 60_000 }, async () => {
  const bob = await selling.seller()
  await selling.delivered(bob)
  await selling.advance(7.1)
  await billing.stripe.accounts.reject((await account(bob)).account!, { reason: 'fraud_other' })
  await billing.quiet()
  // As if its news had not come yet.
  await billing.db.updateTable('seller_accounts').set({ state: 'ready' }).where('user_id', '=', bob.id).execute()
  await selling.toFriday()
  await vi.waitFor(async () => expect(await selling.payouts(bob)).toMatchObject([{ status: 'returned' }]), within)
  expect((await selling.next(bob)).why[0]).toMatchObject({ code: 'account_incomplete' })
  expect(await account(bob)).toMatchObject({ state: 'stopped', refused_because: expect.stringContaining('capabilities') })
  expect((await billing.published('billing.payout_account_changed', bob)).at(-1)).toMatchObject({ state: 'stopped', was_ready: true })
  await selling.advance(7)
  expect(await selling.payouts(bob)).toHaveLength(1)
})

test('a sale that is disputed after its payout is set aside from what becomes due next, until the bank decides [spec-136]', {
  timeout: 90_000,
}, async () => {
  const cyd = await selling.seller()
  const first = await selling.delivered(cyd)
  await selling.toFriday()
  await selling.advance(3)
  await selling.payoutIs(cyd, { status: 'paid' })
  const { charge, id } = (await selling.row(first))!
  await billing.control('stripe/disputes', { charge })
  await vi.waitFor(async () => expect(await selling.row(first)).toMatchObject({ dispute: 'open' }), within)
  expect(await selling.balance(cyd)).toMatchObject({ reserved_cents: 0, due_cents: 0 })
  const listed = (await billing.call('staff-disputes', billing.staff(), { reason: 'Morning' })).body.disputes
  expect(listed.filter(({ sale_id }: { sale_id: string }) => sale_id === id)).toMatchObject([{ user_id: null, email: 'test@example.com' }])
  await selling.delivered(cyd, 15_000)
  await selling.toFriday()
  expect(await selling.balance(cyd)).toMatchObject({ reserved_cents: 8_000, due_cents: 4_000, held_cents: 0 })
  expect((await selling.next(cyd)).why.map(({ code }: { code: string }) => code)).toEqual(['below_minimum', 'disputed'])
  expect(await selling.payouts(cyd)).toHaveLength(1)
  await billing.call('submit-evidence', cyd, { sale_id: id, text: 'losing_evidence', send: true })
  await vi.waitFor(async () => expect(await selling.row(first)).toMatchObject({ dispute: 'lost' }), within)
  expect(await selling.balance(cyd)).toMatchObject({ reserved_cents: 0, due_cents: 4_000, owed_cents: 0 })
  await billing.booksMatch()
})

test('a sale about which a bank only inquires is held until it lets go, and nobody reads that money was taken', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  const sold = await selling.delivered(ann)
  const { charge, id } = (await selling.row(sold))!
  await billing.control('stripe/disputes', { charge, inquiry: true })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'asked' }), within)
  await selling.toFriday()
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 8_000, due_cents: 0 })
  const ofIt = async () =>
    (await billing.db.selectFrom('staff_matters').select('closed_at').where('subject', 'like', 'dp_%').execute()).at(-1)
  expect(await ofIt()).toEqual({ closed_at: null })
  await billing.call('submit-evidence', ann, { sale_id: id, text: 'winning_evidence', send: true })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'won' }), within)
  expect((await ofIt())!.closed_at).not.toBeNull()
  await selling.advance(7)
  await selling.payoutIs(ann, { amount_cents: 8_000 })
  for (const name of ['billing.sale_disputed', 'billing.sale_dispute_closed']) expect(await billing.published(name, ann)).toEqual([])
  const asked = { sale_id: id, disputed_cents: 10_000, evidence_due_at: expect.any(String) }
  expect(await billing.published('billing.sale_inquired', ann)).toMatchObject([asked])
  await billing.booksMatch()
})

test('a bank that takes back more than was paid costs the seller their share and no more [spec-136]', { timeout: 60_000 }, async () => {
  const dee = await selling.seller()
  const sold = await selling.sell(dee, 10_000)
  const { charge, id } = (await selling.row(sold))!
  await billing.control('stripe/disputes', { charge, amount: 10_700 })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'open' }), within)
  await billing.call('submit-evidence', dee, { sale_id: id, text: 'losing_evidence', send: true })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'lost', refunded_cents: 10_000 }), within)
  expect(await selling.balance(dee)).toMatchObject({ held_cents: 0, owed_cents: 0 })
  const losses = await billing.db
    .selectFrom('ledger_postings as p')
    .innerJoin('ledger_entries as e', 'e.id', 'p.entry_id')
    .select('p.amount_cents')
    .where('e.sale_id', '=', id)
    .where('p.account', '=', 'dispute_losses')
    .execute()
  expect(losses).toEqual([{ amount_cents: 700 }])
  await billing.booksMatch()
})

test('a seller whose sales are suspended is paid nothing, also of what was decided before, until they are open again [spec-136]', {
  timeout: 90_000,
}, async () => {
  const [ann, bob] = [await selling.seller(), await selling.seller()]
  await selling.delivered(ann)
  await selling.delivered(bob)
  await selling.advance(7.1)
  const { rt } = billing.platform.services.billing!
  const db = rt.db as typeof billing.db
  const { iso } = (await (await fetch(`${billing.sandbox.addresses.stripe}/sandbox/api/stripe/clock`)).json()) as { iso: string }
  expect(await runFriday({ db, log: rt.log }, new Date(Date.parse(iso) + 8 * 86_400_000))).toBeGreaterThanOrEqual(2)
  const decided = (decision: 'suspend' | 'reinstate') => ({ item_id: null, title: 'All', decision, reason: 'Malware in a download.' })
  const moderate = async (decision: 'suspend' | 'reinstate') => {
    await billing.platform.emit(listingModerated, ann.id, decided(decision))
    const suspended_because = decision === 'suspend' ? 'Malware in a download.' : null
    await vi.waitFor(async () => expect(await account(ann)).toMatchObject({ suspended_because }), within)
  }
  await moderate('suspend')
  // An older decision that is heard late.
  const late = { user_id: ann.id, at: new Date(Date.now() - 60_000).toISOString(), payload: decided('reinstate') }
  await rt.db.transaction().execute((trx) => keepModerated(trx as never, late as never))
  await billing.call('staff-hold-payouts', billing.staff(), { user_id: bob.id, reason: 'We talk to the bank' })
  const before = billing.sandbox.truth.read({ kind: 'transfer' }).length
  await selling.sweep()
  for (const each of [ann, bob]) {
    expect(await selling.payouts(each)).toMatchObject([{ status: 'returned', returned_because: expect.stringContaining('on hold') }])
    expect(await selling.balance(each)).toMatchObject({ due_cents: 8_000, on_its_way_cents: 0 })
    expect((await selling.next(each)).why[0]).toMatchObject({ code: 'held_by_staff' })
    expect(await billing.published('billing.payout_returned', each)).toMatchObject([{ by: 'hold' }])
  }
  expect((await selling.next(ann)).why[0].text).toContain('Malware in a download.')
  // Past another Friday, which decides nothing that would only be returned again.
  await selling.advance(15)
  for (const each of [ann, bob]) expect(await selling.payouts(each)).toHaveLength(1)
  expect(billing.sandbox.truth.read({ kind: 'transfer' })).toHaveLength(before)
  await moderate('reinstate')
  await billing.call('staff-release-payouts', billing.staff(), { user_id: bob.id, reason: 'The bank answered' })
  await selling.advance(7)
  for (const each of [ann, bob]) await selling.payoutIs(each, { amount_cents: 8_000, status: expect.stringMatching(/pending|paid/) })
  await billing.booksMatch()
})

test('an account that an operator keeps out is paid nothing until it may come back, and then once [spec-136]', {
  timeout: 90_000,
}, async () => {
  const ann = await selling.seller()
  await selling.delivered(ann)
  const why = async () => (await selling.next(ann)).why[0]
  let version = 0
  const told = async (banned_until: string | null | undefined, code: string) => {
    version += 1
    const person = { email: null, name: 'Ann', referral_code: null, role: 'seller' as const, version }
    await billing.platform.emit(userUpdated, ann.id, { ...person, ...(banned_until !== undefined && { banned_until }) })
    const heard = () => billing.db.selectFrom('accounts').select('person_version as version').where('user_id', '=', ann.id).execute()
    await vi.waitFor(async () => expect(await heard()).toEqual([{ version }]), within)
    expect(await why()).toMatchObject({ code })
  }
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  await told(inAnHour, 'held_by_staff')
  await selling.advance(7.1)
  // A ban ends by itself.
  await told(new Date(Date.now() - 1_000).toISOString(), 'payout_ready')
  await told(inAnHour, 'held_by_staff')
  // The version before says nothing of it.
  await told(undefined, 'held_by_staff')
  const { account: mine } = await account(ann)
  const transfers = () => billing.sandbox.truth.read({ kind: 'transfer' }).filter(({ destination }) => destination === mine)
  await selling.advance(8)
  expect([await selling.payouts(ann), transfers()]).toEqual([[], []])
  expect(await selling.balance(ann)).toMatchObject({ due_cents: 8_000, on_its_way_cents: 0 })
  const { why: toStaff } = (await billing.call('staff-seller', billing.staff(), { query: ann.id, reason: 'They wrote to us' })).body
  for (const { text } of [await why(), toStaff[0]]) expect(text).toMatch(/^This account is suspended until .* and its payouts wait/)
  await told(null, 'payout_ready')
  await selling.advance(8)
  await selling.payoutIs(ann, { amount_cents: 8_000, status: expect.stringMatching(/pending|paid/) })
  await selling.advance(7)
  expect([(await selling.payouts(ann)).length, transfers().length]).toEqual([1, 1])
  await billing.booksMatch()
})

test('a ban from before bans were told of counts at the next sweep, and one that a newer event has ended does not', {
  timeout: 60_000,
}, async () => {
  const [ann, bob] = [await selling.seller(), await selling.seller()]
  const version = 7
  for (const { id } of [ann, bob]) {
    await billing.platform.emit(userUpdated, id, { email: null, name: 'Ann', referral_code: null, role: 'seller', version })
    const heard = () => billing.db.selectFrom('accounts').select('person_version as version').where('user_id', '=', id).execute()
    await vi.waitFor(async () => expect(await heard()).toEqual([{ version }]), within)
  }
  const banned_until = new Date(Date.now() + 3_600_000).toISOString()
  billing.bans.out = [
    { user_id: ann.id, banned_until, version },
    { user_id: bob.id, banned_until, version: version - 1 },
  ]
  await selling.delivered(ann)
  await selling.sweep()
  billing.bans.out = []
  const until = async ({ id }: { id: string }) =>
    (await billing.db.selectFrom('accounts').select('banned_until').where('user_id', '=', id).executeTakeFirstOrThrow()).banned_until
  expect([await until(ann), await until(bob)]).toEqual([new Date(banned_until), null])
  expect((await selling.next(ann)).why[0]).toMatchObject({ code: 'held_by_staff' })
})

test('while identity does not say who is suspended no Friday is decided, staff hear of it after hours, and then it is paid [spec-136]', {
  timeout: 90_000,
}, async () => {
  const ann = await selling.seller()
  await selling.delivered(ann)
  const keys = ['bans:learned', 'bans:silent']
  const aged = (key: string, hours: number) =>
    sql`update provider_settings set value = to_jsonb((now() - ${hours} * interval '1 hour')::text) where key = ${key}`.execute(billing.db)
  const waits = async () => (await matters()).filter(({ subject }: { subject: string }) => subject === 'bans')
  billing.bans.silent = true
  await billing.db.deleteFrom('provider_settings').where('key', 'in', keys).execute()
  await selling.toFriday()
  expect([await selling.payouts(ann), await waits()]).toEqual([[], []])
  expect(await selling.balance(ann)).toMatchObject({ due_cents: 8_000 })
  await aged('bans:silent', 6)
  await selling.sweep()
  await selling.sweep()
  expect(await waits()).toMatchObject([{ title: 'Payouts wait: suspended accounts are not known' }])
  // Known since this morning, they are known: newer ones come as events.
  billing.bans.silent = false
  await selling.sweep()
  expect([(await selling.payouts(ann)).length, await waits()]).toEqual([1, []])
  billing.bans.silent = true
  await aged('bans:learned', 23)
  await selling.delivered(ann)
  await selling.toFriday()
  expect(await selling.payouts(ann)).toHaveLength(2)
  billing.bans.silent = false
})

test('between two Fridays the sweep reads no seller who was decided', async () => {
  await billing.db
    .transaction()
    .execute(async (trx) => {
      await sql`
        insert into seller_balances (seller_id, currency, friday)
        select gen_random_uuid(), 'usd', friday_of(provider_latest()) from generate_series(1, 5000)`.execute(trx)
      await sql`analyze seller_balances`.execute(trx)
      const { rows } = await sql<any>`explain (analyze, format json) ${undecided(null, START)}`.execute(trx)
      const plan = JSON.stringify(rows[0]['QUERY PLAN'])
      expect(plan).toContain('seller_balances_by_friday')
      for (const [, removed] of plan.matchAll(/"Rows Removed by Filter":(\d+)/g)) expect(Number(removed)).toBeLessThan(50)
      throw new Error('undone')
    })
    .catch((error) => expect(error.message).toBe('undone'))
})
