import { createHash, randomBytes } from 'node:crypto'
import { enter, expect, expectSound, newAccount, test } from './steps.ts'

test('an app is connected on a page that says who asks and for what, and disconnected in Settings', async ({ page, request }) => {
  const registered = await request.post('/auth/v1/oauth/clients/register', {
    data: { client_name: 'Desk app', redirect_uris: ['http://127.0.0.1:4321/callback'] },
  })
  const { client_id } = await registered.json()
  const verifier = randomBytes(32).toString('base64url')
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: 'http://127.0.0.1:4321/callback',
    scope: 'reads changes',
    state: 'kept',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  await page.goto(`/auth/v1/oauth/authorize?${asked}`)
  await expect(page.getByRole('heading', { name: 'Sign in to continue' })).toBeVisible()
  const { pathname, search } = new URL(page.url())
  await enter(page, await newAccount(request, { role: 'seller' }), pathname + search)
  await expect(page.getByRole('heading', { name: 'Connect Desk app?' })).toBeVisible()
  await expect(page.getByText('127.0.0.1:4321')).toBeVisible()
  await expectSound(page)
  await page.getByRole('checkbox', { name: /Make changes for you/ }).uncheck()
  await page.route('http://127.0.0.1:4321/**', (route) => route.fulfill({ body: 'Back in the app' }))
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText('Back in the app')).toBeVisible()
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('state'), searchParams.get('code')?.length]).toEqual(['kept', 43])
  const token = await request.post('/auth/v1/oauth/token', {
    form: { grant_type: 'authorization_code', client_id, code: searchParams.get('code')!, code_verifier: verifier },
  })
  expect(await token.json()).toMatchObject({ scope: 'reads' })

  await page.goto('/dashboard/settings?section=keys')
  await expect(page.getByText('Desk app')).toBeVisible()
  await page.getByRole('button', { name: 'Disconnect Desk app' }).click()
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await expect(page.getByText('No apps connected')).toBeVisible()
})
