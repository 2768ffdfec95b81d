import { startBilling } from '@operon/billing/fixture'
import { sellingOn } from '@operon/billing/sellers/fixture'
import { identityService } from '@operon/identity/service'
import { memory, newEmail, PASSWORD, SERVICE_KEY, unpaced } from '@operon/identity/testing/platform'
import { createClient } from '@supabase/supabase-js'
import { afterAll, expect, test, vi } from 'vitest'

// From the ban of an account to its payouts, over the two services that have a part in it.

const billing = await startBilling({ AUTH_AUTOCONFIRM: 'true', AUTH_ERASING_SERVICES: 'none', ...unpaced }, [identityService])
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const auth = (key: string) =>
  createClient(billing.platform.url('identity'), key, { auth: { storage: memory(), autoRefreshToken: false } }).auth

test('a seller whom an operator bans is paid nothing on Friday, and once after the ban has ended [spec-136]', {
  timeout: 90_000,
}, async () => {
  const email = newEmail()
  const person = async (way: 'signUp' | 'signInWithPassword') => {
    const { data, error } = await auth('anon')[way]({ email, password: PASSWORD })
    expect(error).toBeNull()
    const token = data.session!.access_token
    return { id: data.user!.id, email, token, headers: { authorization: `Bearer ${token}`, apikey: 'anon' } }
  }
  const ann = await selling.seller({}, 'ready', await person('signUp'))
  await selling.delivered(ann)
  const banned = async (ban_duration: string) => {
    expect((await auth(SERVICE_KEY).admin.updateUserById(ann.id, { ban_duration })).error).toBeNull()
    const kept = () => billing.db.selectFrom('accounts').select('banned_until').where('user_id', '=', ann.id).executeTakeFirstOrThrow()
    await vi.waitFor(async () => expect((await kept()).banned_until !== null).toBe(ban_duration !== 'none'), within)
  }
  await banned('24h')
  // As one from before billing heard of bans.
  await billing.db.updateTable('accounts').set({ banned_until: null }).where('user_id', '=', ann.id).execute()
  await selling.toFriday()
  const payouts = () => billing.db.selectFrom('payouts').select('amount_cents').where('seller_id', '=', ann.id).execute()
  const transfers = () => billing.sandbox.truth.read({ kind: 'transfer' }).length
  expect([await payouts(), transfers()]).toEqual([[], 0])
  await banned('none')
  const back = await person('signInWithPassword')
  expect(await selling.next(back)).toMatchObject({ amount_cents: 8_000, why: [{ code: 'payout_ready' }] })
  await selling.advance(7)
  await selling.payoutIs(back, { amount_cents: 8_000, status: expect.stringMatching(/pending|paid/) })
  await selling.advance(7)
  expect([await payouts(), transfers()]).toEqual([[{ amount_cents: 8_000 }], 1])
  await billing.booksMatch()
})
