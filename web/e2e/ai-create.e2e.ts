import { readFile } from 'node:fs/promises'
import { enter, expect, expectAllSound, expectSound, fewAtATime, newAccount, test, trialSeller } from './steps.ts'

test('content: topic required, a piece streams in, copy, download by its name, counted [spec-86] [spec-87]', async ({ page }) => {
  await trialSeller(page, '/dashboard/content-creator')
  await expect(page.getByText('about 20-30 seconds')).toBeVisible()
  await expect(page.getByRole('radio')).toHaveCount(6)
  await page.getByRole('button', { name: 'Generate Content' }).click()
  await expect(page.getByText('Please enter a topic').first()).toBeVisible()
  await page.getByText('Social posts').click()
  await page.getByLabel('Topic').fill('spring sale at our shop')
  await page.getByLabel('Additional Requirements').fill('friendly')
  await page.getByRole('button', { name: 'Generate Content' }).click()
  await expect(page.getByText('Content generated successfully!')).toBeVisible({ timeout: 40_000 })
  await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
  await expect(page.getByText('Content copied to clipboard!')).toBeVisible()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('spring_sale_at_our_shop_social.txt')
  expect((await readFile(await download.path(), 'utf8')).length).toBeGreaterThan(100)
  await expect(page.getByText('Content downloaded!')).toBeVisible()
  await expect(page.getByRole('button', { name: /^spring sale at our shop · Social posts/ }).first()).toBeVisible()
  await expect(page.getByText('152k')).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Download' })).toBeEnabled()
})

test('brand: up to eight names without numbers, domains by their registries with their registrars, tips [spec-95] [spec-97]', async ({
  page,
}) => {
  await trialSeller(page, '/dashboard/brand-builder')
  await expect(page.getByRole('button', { name: 'Generate names' })).toBeDisabled()
  await page.getByLabel('Describe the business').fill('A mobile bike repair service for commuters')
  await page.getByRole('button', { name: 'Generate names' }).click()
  await expect(page.getByText('Generated 8 business names!')).toBeVisible()
  const names = page.getByRole('list', { name: 'Names' }).getByRole('button')
  await expect(names).toHaveCount(8)
  for (const name of await names.allTextContents()) expect(name).not.toMatch(/^\d/)
  await names.first().click()
  await expect(page.getByText(/^Sample prices from the sandbox/)).toBeVisible()
  await expect(page.getByRole('columnheader').allTextContents()).resolves.toEqual(['Domain', 'Porkbun', 'Vercel', 'NameSilo'])
  for (const extension of ['com', 'net', 'org', 'io', 'co'])
    await expect(page.getByText(new RegExp(`^[a-z0-9-]+\\.${extension}$`))).toBeVisible()
  // First year and later years, of each registrar.
  const free = page.getByRole('row').filter({ hasText: 'Available' }).first()
  await expect(free.getByText(/^then \$\d+\.\d\d$/)).toHaveCount(3)
  await expect(free.getByRole('link', { name: /^\S+ at (Porkbun|Vercel|NameSilo), \$\d+\.\d\d$/ })).toHaveCount(3)
  await expect(page.getByText('Affiliate', { exact: false })).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Naming tips' })).toBeVisible()
})

test('ads: details required, three variations within their limits, copy; nothing to connect or create [spec-92] [spec-90]', async ({
  page,
}) => {
  await trialSeller(page, '/dashboard/meta-ads')
  await page.getByRole('button', { name: 'Generate ads' }).click()
  await expect(page.getByText('Please enter product/service details').first()).toBeVisible()
  await page.getByLabel('Product or service details').fill('Mobile bike repair, 20% off in March')
  await page.getByRole('button', { name: 'Generate ads' }).click()
  await expect(page.getByText('Generated ad variations successfully!')).toBeVisible()
  await expect(page.getByRole('heading', { name: /^Variation/ })).toHaveCount(3)
  for (const count of await page.getByText(/^\d+ \/ \d+$/).allTextContents()) {
    const [used, limit] = count.split(' / ').map(Number)
    expect(used).toBeLessThanOrEqual(limit!)
  }
  await page.getByRole('button', { name: 'Copy ad' }).first().click()
  await expect(page.getByText('Ad content copied to clipboard!')).toBeVisible()
  await page.getByRole('tab', { name: 'Campaigns' }).click()
  await expect(page.getByText('No ads account is connected')).toBeVisible()
})

test('settings: a key is shown once, works for the protocol, and is revoked; usage is counted', async ({ page, request }) => {
  await enter(page, await newAccount(request, { role: 'seller' }), '/dashboard/settings?section=keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Website form')
  await page.getByLabel('Prompts a month').fill('5')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByLabel('API key', { exact: true }).inputValue()
  expect(key).toMatch(/^opk_/)
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await expect(page.getByText('Active')).toBeVisible()
  const ask = () =>
    request.post('/ai/v1/chat/completions', {
      headers: { authorization: `Bearer ${key}` },
      data: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] },
    })
  expect((await ask()).status()).toBe(200)
  await page.getByRole('button', { name: 'Revoke Website form' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByText('Revoked', { exact: true })).toBeVisible()
  expect((await ask()).status()).toBe(401)
  await page.getByRole('tab', { name: 'AI usage' }).click()
  await expect(page.getByRole('cell', { name: 'API keys' })).toBeVisible()
})

const paths = [
  '/dashboard/operon-ai',
  '/dashboard/ai-lab',
  '/dashboard/ai-lab?tab=chat',
  '/dashboard/operon-ai-help',
  '/dashboard/operon-ai-help?article=models',
  '/dashboard/ai-assistant',
  '/dashboard/image-studio',
  '/dashboard/content-creator',
  '/dashboard/brand-builder',
  '/dashboard/meta-ads',
  '/dashboard/settings?section=keys',
  '/dashboard/settings?section=usage',
]
for (const few of fewAtATime(paths))
  test(`${few.join(', ')}: accessible and fitting, in both themes, wide and on a phone`, { tag: '@proof' }, async ({ page }) => {
    await trialSeller(page, few[0])
    await expectAllSound(page, few, async (path) => {
      if (path !== few[0]) await page.goto(path)
      await page.waitForLoadState('networkidle')
    })
  })

test('the assistant’s dialog is accessible and fits, in both themes, wide and on a phone', { tag: '@proof' }, async ({ page }) => {
  await trialSeller(page)
  await page.getByRole('button', { name: 'Talk to Operon' }).click()
  await expect(page.getByRole('dialog', { name: 'Talk to Operon' })).toBeVisible()
  await expectSound(page)
})
