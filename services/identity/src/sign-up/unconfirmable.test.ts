import { startTestPlatform } from '@operon/kit/testing/service'
import { expect, test } from 'vitest'
import { identityService } from '../service.ts'

test('where real people come and nothing can be sent, a sign-up is refused and leaves no account', async () => {
  const platform = await startTestPlatform([identityService], { PUBLIC_URL: 'https://operon.example', AUTH_AUTOCONFIRM: 'false' })
  try {
    for (const who of [{ email: 'ann@example.com' }, { phone: '+15005550099' }]) {
      const answer = await fetch(`${platform.url()}/auth/v1/signup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', apikey: 'anon' },
        body: JSON.stringify({ ...who, password: 'Tr1cky-horse-battery', data: { name: 'Ann' } }),
      })
      expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('signup_disabled')])
    }
    const { rt } = platform.services.identity!
    expect(await rt.db.selectFrom('users').select('id').execute()).toEqual([])
    expect(await rt.db.selectFrom('outbox').select('id').where('kind', '=', 'job').where('user_id', 'is not', null).execute()).toEqual([])
  } finally {
    await platform.close()
  }
})

test.each(['AUTH_AUTOCONFIRM', 'AUTH_PHONE_AUTOCONFIRM'])('where real people come, nothing starts with %s', async (name) => {
  const started = startTestPlatform([identityService], { PUBLIC_URL: 'https://operon.example', [name]: 'true' })
  await expect(started).rejects.toThrow(`${name}: anybody could claim any address`)
})

test('where sign-in by phone is off, no code is texted to anybody', async () => {
  const platform = await startTestPlatform([identityService], { AUTH_PHONE: 'false' })
  try {
    const answer = await fetch(`${platform.url()}/auth/v1/otp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', apikey: 'anon' },
      body: JSON.stringify({ phone: '+15005550099' }),
    })
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error_code: 'phone_provider_disabled' })])
    const jobs = platform.services.identity!.rt.db.selectFrom('outbox').select('id').where('kind', '=', 'job')
    expect(await jobs.where('name', 'like', '%message%').execute()).toEqual([])
  } finally {
    await platform.close()
  }
})
