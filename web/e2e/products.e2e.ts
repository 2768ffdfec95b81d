import { writeFileSync } from 'node:fs'
import { call, expect, expectSound, newTrialSeller, test } from './steps.ts'

const MIB = 1024 * 1024

test.describe('an upload that is cut off', () => {
  test.use({ allowed: [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/] })
  test('goes on where it was, after a cut by itself and after a reload once the file is chosen again, and arrives whole [spec-99] @proof', async ({
    page,
    context,
  }, testInfo) => {
    test.setTimeout(120_000)
    const session = await newTrialSeller(page, '/dashboard/marketplace?tab=products&new=')
    await page.getByLabel('Name').fill('Studio pack')
    await page.getByLabel('Price in US dollars').fill('1')
    await expect(page.getByText('The smallest price is $2.00')).toBeVisible()
    await page.getByLabel('Price in US dollars').fill('49')
    await expect(page.getByText('You keep $39.20 of each sale')).toBeVisible()
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByLabel('Description').fill('Sixty presets.')
    await expect(page.getByRole('article', { name: 'Preview of the product' })).toContainText('Sixty presets.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByText('Draft saved')).toBeVisible()

    const content = Buffer.alloc(40 * MIB, 'pack')
    const file = testInfo.outputPath('pack.zip')
    writeFileSync(file, content)
    const network = await context.newCDPSession(page)
    const upload = (uploadThroughput: number, offline = false) =>
      network.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput })
    const bar = page.getByRole('progressbar', { name: 'Upload of pack.zip' })
    const sent = () => bar.evaluate((element: HTMLProgressElement) => element.value / 1024 ** 2)
    const chosen = page.locator('input[type=file][multiple]:not([accept])')
    await upload(8 * MIB)
    await chosen.setInputFiles(file)
    await expect.poll(sent, { timeout: 30_000 }).toBeGreaterThan(9)
    await upload(0, true)
    await expect(page.getByText(/waiting for the connection/)).toBeVisible({ timeout: 30_000 })
    await upload(8 * MIB)
    await expect.poll(sent, { timeout: 30_000 }).toBeGreaterThan(17)
    await page.reload()
    await expect(page.getByText(/Choose the file again to continue/)).toBeVisible()
    await upload(-1)
    const begins = page.waitForRequest((request) => request.method() === 'PATCH')
    await chosen.setInputFiles(file)
    expect(Number((await begins).headers()['upload-offset'])).toBeGreaterThanOrEqual(16 * MIB)
    await expect(bar).toHaveCount(0, { timeout: 60_000 })
    await expect(page.getByText('40 MB')).toBeVisible()
    await expect(page.getByText('Before you can publish')).toHaveCount(0, { timeout: 30_000 })
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await expect(page.getByRole('link', { name: 'See it' })).toHaveAttribute('href', /\/marketplace\/[a-z0-9-]+\/studio-pack$/)
    const item_id = new URL(page.url()).pathname.split('/').at(-1)
    const { versions } = await call(page.request, session, 'read-product', { item_id })
    const { url } = await call(page.request, session, 'marketplace-file-link', { file_id: versions[0].files[0].file_id })
    expect((await (await page.request.get(new URL(url).pathname)).body()).equals(content)).toBe(true)
  })
})

test('archiving is undone, a coupon is made and ended, and the profile stands on the storefront [spec-99] [spec-101]', async ({
  page,
  request,
}) => {
  const session = await newTrialSeller(page, '/dashboard/marketplace')
  await expect(page.getByText('Sample data')).toBeVisible()
  for (const figure of ['1,247', '$15,683.45', '8', '12']) await expect(page.getByText(figure, { exact: true })).toBeVisible()
  const headers = { authorization: `Bearer ${session.access_token}`, apikey: 'anon' }
  const made = {
    title: 'An hour with me',
    description: 'We look at it together.',
    price_cents: 9900,
    category: 'Support',
    item_type: 'call',
  }
  const { item_id } = await (await request.post('/functions/v1/create-product', { headers, data: made })).json()
  await request.post('/functions/v1/publish-product', { headers, data: { item_id } })
  await page.goto('/dashboard/marketplace?tab=products')
  await page.getByRole('button', { name: 'Actions for An hour with me' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await expect(page.getByText('archived', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('active', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'New coupon' }).click()
  await page.getByLabel('Code').fill('spring-20')
  await page.getByLabel('Percent').fill('20')
  await page.getByRole('button', { name: 'Make coupon' }).click()
  await expect(page.getByRole('cell', { name: 'SPRING-20' })).toBeVisible()
  await expectSound(page)
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('button', { name: 'End coupon' }).click()
  await expect(page.getByText('ended', { exact: true })).toBeVisible()

  await page.getByRole('tab', { name: 'Business Profile' }).click()
  await page.getByLabel('Business Name').fill('Lindt Automations')
  await page.getByLabel('Location').fill('Lisbon')
  await page.getByRole('button', { name: 'Save profile' }).click()
  await expect(page.getByText('Profile saved')).toBeVisible()
  const { slug } = await (await request.post('/functions/v1/business-profile', { headers, data: {} })).json()
  await page.goto(`/marketplace/${slug}?q=hour`)
  await expect(page.getByRole('heading', { name: 'Lindt Automations' })).toBeVisible()
  await expect(page.getByText('Lisbon')).toBeVisible()
})

test('the template library: chips and search narrow it, and a free template is downloaded [spec-107]', async ({ page }) => {
  await newTrialSeller(page, '/dashboard/template-library')
  const rows = page.getByRole('main').getByRole('listitem')
  await expect(rows.filter({ hasText: 'Meeting Scheduler' })).toBeVisible()
  await page.getByRole('button', { name: 'Analytics', exact: true }).click()
  await expect(rows.filter({ hasText: 'Weekly Sales Report' })).toBeVisible()
  await expect(rows.filter({ hasText: 'Meeting Scheduler' })).toHaveCount(0)
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download Weekly Sales Report' }).click()
  expect((await saved).suggestedFilename()).toBe('weekly-sales-report.workflow.json')
})

test('the workflow of a template is read from its file, refused with a key in it, and delivered as a file [spec-107]', async ({
  page,
  request,
  allowed,
}) => {
  // The refusal of the file with a key.
  allowed.push(/400 \(Bad Request\)/)
  const seller = await newTrialSeller(page, '/dashboard/marketplace')
  const made = { title: 'Lead flow', description: 'Asks and scores.', category: 'Marketing', item_type: 'workflow', price_cents: 900 }
  const { item_id } = await call(request, seller, 'create-product', { ...made, kind: 'template' })
  await page.goto(`/dashboard/marketplace/${item_id}`)
  const graph = {
    nodes: [
      { id: 'lead', type: 'trigger.webhook' },
      { id: 'write_back', type: 'app.gmail.send' },
    ],
    edges: [{ from: 'lead', to: 'write_back' }],
  }
  const manifest = { format: 'workflow/1', graph, slots: [{ app: 'gmail', used_by: ['write_back'] }] }
  const choose = (content: object) =>
    page.locator('input[type=file][accept^=".json"]').setInputFiles({
      name: 'lead.workflow.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(content)),
    })
  await choose({ ...manifest, sample_input: { token: 'sk_live_0123456789abcdef' } })
  await expect(page.getByText('Take keys and passwords out of the template.')).toBeVisible()
  await choose(manifest)
  await expect(page.getByRole('list', { name: 'Steps of the workflow' })).toContainText('write back')
  await expect(page.getByText('lead.workflow.json', { exact: true })).toBeVisible()
  await expect(page.getByText('Before you can publish')).toHaveCount(0, { timeout: 30_000 })
  await expectSound(page)
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByRole('link', { name: 'See it' })).toBeVisible()
  await page.goto('/dashboard/template-library?q=Lead+flow')
  await expect(page.getByRole('listitem').filter({ hasText: 'Lead flow' }).first()).toContainText('needs Gmail')
})

test('the editor is accessible and fits, in both themes at three widths', { tag: '@proof' }, async ({ page, request }) => {
  const session = await newTrialSeller(page, '/dashboard/marketplace')
  const headers = { authorization: `Bearer ${session.access_token}`, apikey: 'anon' }
  const made = { title: 'An hour with me', description: 'Together.', price_cents: 9900, category: 'Support', item_type: 'call' }
  const { item_id } = await (await request.post('/functions/v1/create-product', { headers, data: made })).json()
  await page.goto(`/dashboard/marketplace/${item_id}`)
  await expect(page.getByRole('heading', { name: 'What it is' })).toBeVisible()
  await expectSound(page)
  await page.getByRole('tab', { name: 'Analytics' }).click()
  await expect(page.getByText('Views by day')).toBeVisible()
  await expectSound(page)
})

test('a picture of the Image Studio becomes a picture of a product, and stays when the first one is deleted [spec-99]', async ({
  page,
  request,
}) => {
  const seller = await newTrialSeller(page, '/dashboard/marketplace')
  const { picture_id } = await call(request, seller, 'generate-image', { prompt: 'A red bicycle against a yellow wall' })
  const made = { title: 'Bicycle guide', description: 'One two three.', category: 'Marketing', item_type: 'guide', price_cents: 900 }
  const { item_id } = await call(request, seller, 'create-product', made)
  await page.goto(`/dashboard/marketplace/${item_id}`)
  await page.getByRole('button', { name: 'From Image Studio' }).click()
  const picker = page.getByRole('dialog', { name: 'Pictures from the Image Studio' })
  await picker.getByRole('button', { name: 'A red bicycle against a yellow wall' }).click()
  await expectSound(page)
  if (process.env.E2E_SHOTS) await page.screenshot({ path: `${process.env.E2E_SHOTS}/studio-pictures.png` })
  await picker.getByRole('button', { name: 'Add picture' }).click()
  await expect(page.getByAltText('Picture 1 of Bicycle guide')).toBeVisible({ timeout: 20_000 })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Draft saved')).toBeVisible()
  await call(request, seller, 'delete-image', { picture_id })
  await page.reload()
  await expect(page.getByAltText('Picture 1 of Bicycle guide')).toBeVisible()
})
