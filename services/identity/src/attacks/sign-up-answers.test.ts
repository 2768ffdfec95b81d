import { afterAll, expect, test } from 'vitest'
import { codeIn, newEmail, PASSWORD, startWithSandbox } from '../testing/platform.ts'

const platform = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false' })
afterAll(() => platform.close())

async function signUp(body: { email: string } | { phone: string }) {
  const response = await fetch(`${platform.base}/auth/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, password: PASSWORD, data: { name: 'Eve' } }),
  })
  const answer = (await response.json()) as { id: string; identities: unknown[] }
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !['date', 'content-length', 'x-request-id'].includes(name)))
  // Every value counts but those that differ between any two sign-ups.
  const told = JSON.stringify({ status: response.status, headers, answer })
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(Object.values(body)[0]!.replace('+', ''), '<address>')
  return { told, id: answer.id }
}
const idsOf = async (column: 'email' | 'phone', value: string) =>
  (await platform.services.identity!.rt.db.selectFrom('users').select('id').where(column, '=', value).execute()).map(
    ({ id }) => id as string,
  )

for (const [name, make, column, type] of [
  ['email', () => ({ email: newEmail() }), 'email', 'email'],
  ['phone', () => ({ phone: `1557${String(Math.random()).slice(2, 9)}` }), 'phone', 'sms'],
] as const) {
  test(`S9: signing up by ${name} answers a new, a waiting and a confirmed address value for value alike, under an id that says nothing`, async () => {
    const [fresh, waiting, confirmed] = [make(), make(), make()] as Record<string, string>[]
    await signUp(waiting as never)
    await signUp(confirmed as never)
    const address = confirmed![name]!
    const token = codeIn(await platform.mail(name === 'phone' ? `+${address}` : address))
    const { error } = await platform.client().auth.verifyOtp({ ...confirmed, token, type } as never)
    expect(error).toBeNull()
    const first = await signUp(fresh as never)
    for (const known of [waiting, confirmed]) {
      const [once, twice] = [await signUp(known as never), await signUp(known as never)]
      expect([once.told, twice.told]).toEqual([first.told, first.told])
      const [account] = await idsOf(column, known![name]!)
      expect(account).toEqual(expect.any(String))
      expect(new Set([once.id, twice.id, account]).size).toBe(3)
    }
    const owner = await platform.client().auth.signInWithPassword({ ...confirmed, password: PASSWORD } as never)
    expect(owner.error).toBeNull()
  })
}
