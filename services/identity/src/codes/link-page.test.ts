import { pressedCookie } from '@operon/contracts/identity/arrival'
import { afterAll, expect, test } from 'vitest'
import { click, formIn, hashOf, linkIn, newEmail, PASSWORD, startWithSandbox } from '../testing/platform.ts'

const platform = await startWithSandbox({
  AUTH_AUTOCONFIRM: 'false',
  AUTH_REDIRECT_ALLOW_LIST: 'https://app.partner.example/**,myapp://in',
})
afterAll(() => platform.close())

const letter = async (redirectTo = 'http://localhost:8080/auth/seller', email = newEmail()) => {
  const options = { emailRedirectTo: redirectTo, data: { name: '<b>Eve</b>' } }
  await platform.client().auth.signUp({ email, password: PASSWORD, options })
  return { email, link: linkIn(await platform.mail(email)) }
}
const press = (link: string, headers: Record<string, string>) =>
  fetch(`${platform.base}/auth/v1/verify/link`, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams(new URL(link).search),
  })

test('opening a link changes nothing, however often; the button of its page signs in, once [spec-25]', async () => {
  const { email, link } = await letter()
  for (let times = 0; times < 3; times++) {
    const opened = await fetch(platform.real(link), { redirect: 'manual' })
    expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await opened.text()
    expect(html).toContain('Confirm your email')
    expect(html).toContain(email)
    expect(html).not.toContain('Eve')
    expect(formIn(html)).toMatchObject({ action: '/auth/v1/verify/link', fields: { type: 'signup' } })
  }
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe('email_not_confirmed')
  const pressed = await press(link, { 'sec-fetch-site': 'same-origin' })
  expect(pressed.status).toBe(303)
  const arrived = new URL(pressed.headers.get('location')!)
  expect(`${arrived.origin}${arrived.pathname}`).toBe('http://localhost:8080/auth/seller')
  const { access_token: token, type } = hashOf(arrived) as Record<string, string>
  expect(type).toBe('signup')
  // This browser knows that it asked for this session, for a minute.
  const { session_id } = JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString())
  expect(pressed.headers.getSetCookie()).toEqual([`${pressedCookie}=${session_id}; Path=/; Max-Age=60; SameSite=Strict`])
  expect(hashOf(await click(platform, link))).toMatchObject({ error_code: 'otp_expired' })
})

test('a form of another site signs nobody in: it gets the page', async () => {
  const { email, link } = await letter()
  for (const [name, value] of [
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-site'],
    ['origin', 'https://evil.example'],
  ] as const) {
    const answer = await press(link, { [name]: value })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
    expect(await answer.text()).toContain('Confirm your email')
  }
  expect((await platform.client().auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe('email_not_confirmed')
})

test('the page may send its form to where the link leads and nowhere else, runs no script of its own and is kept by nobody', async () => {
  for (const [to, source] of [
    ['http://localhost:8080/auth', 'http://localhost:8080'],
    ['https://app.partner.example/in', 'https://app.partner.example'],
    ['myapp://in', 'myapp:'],
    ['https://evil.example/', 'http://localhost:8080'],
  ] as const) {
    const { link } = await letter(to)
    const { headers } = await fetch(platform.real(link))
    expect(headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'sha256-[^']+';/)
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
  }
  const { link } = await letter('https://app.partner.example/in')
  const elsewhere = await press(link, { 'sec-fetch-site': 'same-origin' })
  expect(new URL(elsewhere.headers.get('location')!).origin).toBe('https://app.partner.example')
  expect(elsewhere.headers.getSetCookie()).toEqual([])
})

test('with AUTH_LINK_PAGE=false the link itself confirms, as other servers of the protocol do', async () => {
  const bare = await startWithSandbox({ AUTH_AUTOCONFIRM: 'false', AUTH_LINK_PAGE: 'false' })
  try {
    const email = newEmail()
    await bare.client().auth.signUp({ email, password: PASSWORD })
    const answer = await fetch(bare.real(linkIn(await bare.mail(email))), { redirect: 'manual' })
    expect(answer.status).toBe(303)
    expect(hashOf(new URL(answer.headers.get('location')!))).toMatchObject({ type: 'signup' })
  } finally {
    await bare.close()
  }
})
