import { afterAll, expect, test } from 'vitest'
import { click, newEmail, startIdentity } from '../testing/platform.ts'

const platform = await startIdentity({
  PUBLIC_URL: 'https://app.example.com',
  SANDBOX_KEY: 'opens-automatic-confirmation',
  AUTH_REDIRECT_ALLOW_LIST: 'https://*.partner.example/callback,myapp://login,https://docs.example.com/**',
})
afterAll(() => platform.close())

const lead = async (redirectTo: string) => {
  const url = `https://app.example.com/auth/v1/verify?token=made-up&type=signup&redirect_to=${encodeURIComponent(redirectTo)}`
  const target = await click({ real: (link) => link.replace('https://app.example.com', platform.base) }, url)
  target.hash = ''
  return target.href
}

test('S12: links lead to this site or to what is on the list, and nowhere else', async () => {
  for (const [asked, there] of [
    ['https://app.example.com/auth/seller?a=1', 'https://app.example.com/auth/seller?a=1'],
    ['https://eu.partner.example/callback', 'https://eu.partner.example/callback'],
    ['myapp://login', 'myapp://login'],
    ['https://docs.example.com/a/b', 'https://docs.example.com/a/b'],
  ] as const)
    expect(await lead(asked)).toBe(there)
  const evil = [
    'https://evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    'https:evil.example',
    'https:/\\evil.example',
    'http://app.example.com',
    'https://app.example.com:444/',
    'https://app.example.com.evil.example',
    'https://app.example.com@evil.example',
    'https://evil.example#app.example.com',
    'https://evil.example?x=https://app.example.com',
    'https://evil.example/https://app.example.com',
    'https://evilapp.example.com',
    'https://a.b.partner.example/callback',
    'https://evil.example/.partner.example/callback',
    'https://partner.example/callback',
    'https://eu.partner.example/callback/../evil',
    'https://eu.partner.example/callbackevil',
    'javascript:alert(1)',
    'JaVaScRiPt://app.example.com/%0aalert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://app.example.com/x',
    'myapp://login.evil',
    'myapp://evil',
    'https://app.example.com\\@evil.example',
    'https://ap\u200Bp.example.com',
    'https://user:pass@app.example.com/',
    '\thttps://evil.example',
    'https://evil。example',
    '',
    'null',
    'about:blank',
  ]
  const astray: string[] = []
  for (const asked of evil) {
    const there = new URL(await lead(asked))
    if (there.origin !== 'https://app.example.com') astray.push(`${asked} -> ${there.href}`)
  }
  expect(astray).toEqual([])
})

test('S12: the provider sign-in and the mails obey the same list', async () => {
  await platform.client().auth.resetPasswordForEmail(newEmail(), { redirectTo: 'https://evil.example' })
  const { rt } = platform.services.identity!
  const row = await rt.db.selectFrom('outbox').select('payload').where('name', '=', 'identity.request_mail').executeTakeFirstOrThrow()
  expect((row.payload as { redirect_to: string }).redirect_to).toBe('https://app.example.com')
})
