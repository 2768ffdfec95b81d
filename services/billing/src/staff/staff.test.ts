import { endpointsOf } from '@operon/contracts/registry'
import { afterAll, expect, test } from 'vitest'
import { startBilling } from '../fixture.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const doors = endpointsOf('billing')
  .filter(({ access }) => access === 'staff')
  .map(({ path }) => path.replace('/functions/v1/', ''))

test.each(doors)('%s: staff who have a second factor are let in only with it, and nobody else at all [spec-32] [spec-36]', async (door) => {
  const staff = { app_metadata: { staff: true } }
  const ask = (claims: Record<string, unknown>) => billing.call(door, billing.user(claims), {})
  expect(await ask({ ...staff, mfa: true, aal: 'aal1' })).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } })
  expect(await ask({})).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await ask({ mfa: true, aal: 'aal2' })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await ask({ user_metadata: { staff: true } })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await billing.call(door, null, {})).toMatchObject({ status: 401 })
  // With it the call is looked at: it is done, or its own fields are asked for.
  for (const level of [{ mfa: true, aal: 'aal2' }, { aal: 'aal1' }])
    expect([200, 400]).toContain((await ask({ ...staff, ...level })).status)
})

test('what was refused for its level has left nothing behind [spec-36]', async () => {
  const weak = billing.user({ app_metadata: { staff: true }, mfa: true, aal: 'aal1' })
  const seller = await billing.subscribed()
  const { trial_end } = await billing.check(seller)
  const body = { user_id: seller.id, days: 3, reason: 'asked nicely' }
  expect(await billing.call('staff-extend-trial', weak, body)).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } })
  expect(await billing.check(seller)).toMatchObject({ trial_end })
  expect(await billing.db.selectFrom('staff_actions').select('id').where('staff_user_id', '=', weak.id).execute()).toEqual([])
})
