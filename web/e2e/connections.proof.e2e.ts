import { call, enter, expect, expectSound, newEmail, newTrial, test } from './steps.ts'

test('an app is connected in a window of its own, used, cut at the vendor, connected again and disconnected [spec-119] [spec-121] [spec-122]', async ({
  page,
}) => {
  test.slow()
  const session = await newTrial(page.request)
  await enter(page, session, '/dashboard/app-library')
  await expect(page.getByText('0 connected, 26 available')).toBeVisible()
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveCount(7)
  await expect(page.getByRole('button', { name: /^Connect / })).toHaveCount(26)

  const account = newEmail()
  async function approve(press: () => Promise<void>) {
    const [popup] = await Promise.all([page.waitForEvent('popup'), press()])
    await popup.getByLabel('Or another email address').fill(account)
    await popup.getByRole('button', { name: 'Approve' }).click()
    await popup.waitForEvent('close')
  }
  await approve(() => page.getByRole('button', { name: 'Connect Slack' }).click())
  await expect(page.getByText('1 connected, 25 available')).toBeVisible()

  // The request is done there, in the account that was connected.
  const posted = await call(page.request, session, 'run-app-action', {
    app: 'slack',
    action: 'post-message',
    input: { channel: '#sales', text: 'Sold!' },
  })
  expect(posted.id).toBeTruthy()
  await page.getByRole('button', { name: 'Manage Slack' }).click()
  const panel = page.getByRole('dialog', { name: 'Slack' })
  await panel.getByRole('button', { name: 'Last calls' }).click()
  await expect(panel.getByText('post message')).toBeVisible()

  await panel.getByRole('button', { name: 'Watch “New message in Slack”' }).click()
  await panel.getByLabel('Channel').selectOption('C02SALES')
  await panel.getByRole('button', { name: 'Watch', exact: true }).click()
  await expect(panel.getByText('nothing told yet')).toBeVisible()
  await panel.getByRole('button', { name: /^Stop watching/ }).click()
  await expect(panel.getByText('nothing told yet')).toHaveCount(0)
  await panel.getByRole('button', { name: 'Undo' }).click()
  await expect(panel.getByText('nothing told yet')).toBeVisible()
  await expect(panel.getByText('nothing told yet')).toBeVisible()

  const { grants } = await (await page.request.get('/sandbox/api/apps')).json()
  const grant = grants.find(({ email }: { email: string }) => email === account)
  await page.request.post(`/sandbox/apps/grants/${grant.id}/cut`)
  await panel.getByRole('button', { name: 'Test' }).click()
  await expect(panel.getByText('Connect again', { exact: true }).first()).toBeVisible()
  await expect(panel.getByText('is paused until you connect it again')).toBeVisible()
  await expect(panel.getByText('Waits until the account is connected again')).toBeVisible()
  await expect(page.getByText('0 connected, 1 to connect again, 25 available')).toBeVisible()
  await approve(() => panel.getByRole('button', { name: 'Connect again' }).click())
  await expect(panel.getByText('Connected', { exact: true })).toBeVisible()

  await panel.getByRole('button', { name: /^Disconnect / }).click()
  await page
    .getByRole('dialog', { name: /^Disconnect / })
    .getByRole('button', { name: 'Disconnect' })
    .click()
  await expect(panel.getByText('No account is connected yet.')).toBeVisible()
  await expect(page.getByText('0 connected, 26 available')).toBeVisible()
  await expectSound(page)
  await page.keyboard.press('Escape')
  await expectSound(page)
})

test('the assistant posts to one app once that is approved, finds a file in another, and says who no longer lets it in [spec-119]', async ({
  page,
  allowed,
}) => {
  allowed.push(/409|502/)
  test.slow()
  const session = await newTrial(page.request)
  await enter(page, session, '/dashboard/app-library')
  const account = newEmail()
  for (const app of ['Slack', 'Google Drive']) {
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: `Connect ${app}` }).click()])
    await popup.getByLabel('Or another email address').fill(account)
    await popup.getByRole('button', { name: 'Approve' }).click()
    await popup.waitForEvent('close')
  }
  const ask = async (text: string) => {
    await page.goto('/dashboard/ai-assistant')
    await page.getByLabel('Message the analyst').fill(text)
    await page.keyboard.press('Enter')
  }
  await ask('Post "We sold the first one!" to the channel #sales on Slack')
  await page.getByRole('button', { name: /^Approve/ }).click({ timeout: 30_000 })
  await expect(page.getByText('Done', { exact: true })).toBeVisible({ timeout: 20_000 })

  const find = 'Find the file about the price list in Google Drive'
  await ask(find)
  const file = page.getByRole('figure', { name: 'Read from an app' }).getByRole('row', { name: /Price list 2026\.pdf/ })
  await expect(file.getByRole('link', { name: 'drive.google.com' })).toBeVisible({ timeout: 30_000 })
  await expectSound(page)

  const { grants } = await (await page.request.get('/sandbox/api/apps')).json()
  const grant = grants.find((one: { email: string; redirect_uri: string }) => one.email === account && one.redirect_uri.endsWith('drive'))
  await page.request.post(`/sandbox/apps/grants/${grant.id}/cut`)
  await ask(find)
  const ended = 'The app does not accept this connection any more. Connect it again in the App Library.'
  await expect(page.getByRole('log').getByText(ended)).toBeVisible({ timeout: 30_000 })
  await expect
    .poll(async () => (await call(page.request, session, 'list-notifications', {})).notifications[0].title, { timeout: 20_000 })
    .toBe('Google Drive has to be connected again')
})

test('an API that is in no catalogue is connected by its document, shows what can be called there and is disconnected', async ({
  page,
  allowed,
}) => {
  allowed.push(/status of 400/)
  await page.setViewportSize({ width: 390, height: 700 })
  await enter(page, await newTrial(page.request), '/dashboard/app-library')
  await page.getByRole('button', { name: 'Add an API' }).click()
  const form = page.getByRole('dialog', { name: 'Add an API' })
  await form.getByLabel('Name', { exact: true }).fill('Stock')
  await form.getByLabel('What it can do').selectOption('paste')
  await form
    .getByLabel('OpenAPI document')
    .fill(JSON.stringify({ openapi: '3.1.0', paths: { '/readyz': { get: { operationId: 'isReady', summary: 'Whether it is ready' } } } }))
  await form.getByLabel('Address of the API').fill(new URL('/', page.url()).href)
  await form.getByLabel('Authentication').selectOption('none')
  await expectSound(page)
  await form.getByLabel('Address of the API').fill('http://169.254.169.254/latest')
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(form.getByRole('alert')).toContainText('This address cannot be reached from here.')
  await expect(form.getByRole('alert')).toBeInViewport({ ratio: 1 })
  await form.getByLabel('Address of the API').fill(new URL('/', page.url()).href)
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('button', { name: 'Manage Stock' }).click()
  const panel = page.getByRole('dialog', { name: 'Stock' })
  await expect(panel.getByText('Whether it is ready')).toBeVisible()
  await expectSound(page)
  await panel.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('dialog', { name: 'Disconnect Stock?' }).getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('An app that is not here?')).toBeVisible()
})

test.describe('a key', () => {
  test.use({ allowed: [/status of 400/] })
  test('an app that takes a key tries it, says what is wrong with it and keeps the right one [spec-124]', async ({ page }) => {
    const session = await newTrial(page.request)
    await enter(page, session, '/dashboard/app-library?q=mailersend')
    await page.getByRole('button', { name: 'Connect MailerSend' }).click()
    const form = page.getByRole('dialog', { name: 'Connect MailerSend' })
    await form.getByLabel('API token', { exact: true }).fill('mlsn.wrong')
    const refused = page.waitForResponse('**/functions/v1/connect-app')
    await form.getByRole('button', { name: 'Connect' }).click()
    expect((await refused).status()).toBe(400)
    await expect(form.getByRole('alert')).toContainText('did not accept this key')
    await form.getByLabel('API token', { exact: true }).fill(`mlsn.sandbox_${Date.now()}`)
    await form.getByRole('button', { name: 'Connect' }).click()
    await expect(page.getByText('1 connected, 25 available')).toBeVisible()
  })
})
