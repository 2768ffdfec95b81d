import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import type { Trx } from '../deps.ts'
import { startBilling } from '../fixture.ts'
import { creditMoved } from './entries.ts'
import { post } from './post.ts'

const billing = await startBilling()
afterAll(() => billing.close())

test('years of payments: staff and the person see the newest and that there are more, and a statement reads its month alone', async () => {
  const user = billing.user()
  await billing.call('referral-summary', user)
  const occurredAt = (n: number) => new Date(Date.UTC(2020, 0, 1 + n))
  await inTransaction(billing.db, async (trx) => {
    for (let n = 0; n < 130; n++)
      await post(trx as Trx, {
        ...{ reference: `credit_granted:${user.id}-${n}`, kind: 'credit_granted', userId: user.id, description: `entry ${n}` },
        ...{ occurredAt: occurredAt(n), lines: creditMoved('usd', -100 - n, 'referral_credits') },
      })
  })
  const found = (await billing.call('staff-account', billing.staff(), { query: user.id, reason: 'asked by phone' })).body
  expect([found.payments.length, found.more_payments]).toEqual([100, true])
  expect([found.payments[0].description, found.payments.at(-1).description]).toEqual(['entry 30', 'entry 129'])
  const newest = (await billing.call('list-payments', user, { limit: 50 })).body
  expect([newest.payments.length, newest.payments[0].description, newest.more]).toEqual([50, 'entry 129', true])
  const other = billing.user()
  expect((await billing.call('list-payments', other, {})).body).toMatchObject({ payments: [], more: false })
  const { csv } = (await billing.call('statement-export', user, { month: '2020-02' })).body
  const lines = csv.trim().split('\r\n')
  expect([lines.length, lines[1], lines.at(-1)]).toEqual([
    30,
    expect.stringContaining('2020-02-01T00:00:00.000Z'),
    expect.stringContaining('2020-02-29T00:00:00.000Z'),
  ])
})

test('a month of more than 1,000 movements comes in pieces that join to each movement once', async () => {
  const user = billing.user()
  await billing.call('referral-summary', user)
  await inTransaction(billing.db, async (trx) => {
    await sql`
      insert into ledger_entries (id, reference, kind, user_id, description, occurred_at)
      select gen_random_uuid(), 'credit_granted:' || gen_random_uuid(), 'credit_granted', ${user.id}, 'entry ' || n,
        timestamptz '2021-03-01Z' + (n / 7) * interval '1 second'
      from generate_series(0, 2099) as n`.execute(trx)
    await sql`
      insert into ledger_postings (entry_id, line, account, currency, amount_cents)
      select id, line, account, 'usd', cents
      from ledger_entries, (values (1, 'customer_credit', -5), (2, 'referral_credits', 5)) as l (line, account, cents) where user_id = ${user.id}`.execute(
      trx,
    )
  })
  const pieces: string[][] = []
  let cursor: string | null | undefined
  do {
    const { body } = await billing.call('statement-export', user, { month: '2021-03', ...(cursor && { cursor }) })
    pieces.push(body.csv.trim().split('\r\n'))
    cursor = body.cursor
  } while (cursor)
  expect(pieces.map(({ length }) => length)).toEqual([1_001, 1_000, 100])
  const said = pieces.flat().slice(1)
  expect(new Set(said.map((line) => line.split(',')[3])).size).toBe(2_100)
  expect(said.map((line) => line.slice(0, 24))).toEqual(said.map((line) => line.slice(0, 24)).toSorted())
  // A place in somebody else's books leads nowhere.
  const other = billing.user()
  await billing.call('referral-summary', other)
  const theirs = (await billing.call('statement-export', user, { month: '2021-03' })).body.cursor
  expect((await billing.call('statement-export', other, { month: '2021-03', cursor: theirs })).body).toMatchObject({
    csv: '',
    cursor: null,
  })
})

test('a referrer of many sees true sums, and the newest credits', async () => {
  const user = billing.user()
  await billing.call('referral-summary', user)
  await sql`
    insert into referrals (referred_user_id, referrer_user_id, state, payment, paid_at, credit_cents, credited_at, created_at)
    select gen_random_uuid(), ${user.id}, (array['signed_up', 'paid', 'credited', 'void'])[1 + n % 4], 'ch_' || gen_random_uuid(),
      case when n % 4 > 0 then now() - n * interval '1 hour' end, case when n % 4 > 0 then 10 end, null, now() - n * interval '1 hour'
    from generate_series(1, 400) as n`.execute(billing.db)
  const summary = (await billing.call('referral-summary', user)).body
  expect(summary).toMatchObject({ sign_ups: 400, credit_cents: 1_000, more: true })
  expect(summary.credits).toHaveLength(100)
  expect(summary.credits.map(({ due_at }: { due_at: string }) => due_at)).toEqual(
    summary.credits
      .map(({ due_at }: { due_at: string }) => due_at)
      .toSorted()
      .toReversed(),
  )
})
