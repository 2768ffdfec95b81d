import { readFile } from 'node:fs/promises'
import { expect, expectSound, faultsOf, newTrialSeller, test } from './steps.ts'

test.describe('images', () => {
  // The public link is opened after it was revoked, and faults are ordered.
  test.use({ allowed: [/404|502|503/] })

  test('a newcomer makes images, finds, downloads, saves, shares and revokes one, and takes a deletion back [spec-80] [spec-84] [spec-85]', async ({
    page,
    context,
  }) => {
    await newTrialSeller(page, '/dashboard/image-studio')
    await expect(page.getByText('234', { exact: true })).toBeVisible()
    await expect(page.getByText('Sample data').first()).toBeVisible()
    await expect(page.getByRole('radio')).toHaveCount(6)
    await expect(page.getByLabel('Size').getByRole('option')).toHaveText(['512x512', '1024x1024', '1024x768', '768x1024', '1920x1080'])
    await expect(page.getByLabel('Model').getByRole('option')).toHaveCount(4)
    for (const name of ['Business Headshot', 'Logo Design', 'Social Media', 'Product Photo'])
      await expect(page.getByRole('button', { name })).toBeVisible()
    await expect(page.getByText(/about 15-30 seconds/)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Generate' })).toBeDisabled()
    await page.getByLabel('Size').selectOption('512x512')
    await expect(page.getByText('GPT Image draws 1024x1024. The result is scaled down to 512x512.')).toBeVisible()
    await page.getByRole('textbox', { name: 'Prompt' }).fill('a red bicycle against a yellow wall')
    await page.getByLabel('Images', { exact: true }).selectOption('2')
    await page.getByRole('button', { name: 'Generate' }).click()
    await expect(page.getByText('Generated 2 image(s) successfully!')).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText('234', { exact: true })).toHaveCount(0)
    const gallery = page
      .locator('section, div')
      .filter({ has: page.getByRole('heading', { name: 'Gallery' }) })
      .last()
    await expect(gallery.getByRole('button', { name: /^Open: a red bicycle/ })).toHaveCount(2)

    await gallery
      .getByRole('button', { name: /^Open:/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog', { name: 'Image' })
    await expect(dialog.getByText('gpt-image-2.6-flare')).toBeVisible()
    await dialog.getByRole('button', { name: 'Download' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /^WebP/ }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('a-red-bicycle-against-a-yellow-wall.webp')
    expect((await readFile(await download.path())).subarray(8, 12).toString()).toBe('WEBP')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog.getByRole('button', { name: 'Saved' })).toBeVisible()
    await dialog.getByRole('button', { name: 'Share' }).click()
    const link = await dialog.getByRole('textbox', { name: 'Public link' }).inputValue()

    const visitor = await context.browser()!.newContext()
    const other = await visitor.newPage()
    await other.goto(link)
    await expect(other.getByRole('img', { name: 'Shared by its owner' })).toBeVisible()
    const src = await other.getByRole('img', { name: 'Shared by its owner' }).getAttribute('src')
    await dialog.getByRole('button', { name: 'Revoke link' }).click()
    await expect(page.getByText('The link no longer works')).toBeVisible()
    expect((await other.request.get(new URL(src!, link).href)).status()).toBe(404)
    await other.reload()
    await expect(other.getByRole('heading', { name: 'This link does not work' })).toBeVisible()
    await visitor.close()

    await dialog.getByRole('button', { name: 'Use prompt' }).click()
    await expect(page.getByRole('textbox', { name: 'Prompt' })).toHaveValue('a red bicycle against a yellow wall')
    await page.getByRole('group', { name: 'Which images' }).getByRole('button', { name: 'Saved' }).click()
    await expect(gallery.getByRole('button', { name: /^Open:/ })).toHaveCount(1)
    await gallery.getByRole('button', { name: /^Open:/ }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect(gallery.getByText('No matches')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(gallery.getByRole('button', { name: /^Open:/ })).toHaveCount(1)
    await page.getByLabel('Search prompts').fill('zebra')
    await expect(gallery.getByText('No matches')).toBeVisible()
    await expectSound(page)
  })

  test('where the model cannot draw, Gemini does; where nobody can, marked demo images stand in and nothing is counted [spec-82] [spec-83]', async ({
    page,
    request,
  }) => {
    const seller = await newTrialSeller(page, '/dashboard/image-studio')
    const faults = faultsOf(request, seller)
    await faults.order({ kind: 'status', status: 500, match: 'gpt-image', times: 1 })
    await page.getByRole('textbox', { name: 'Prompt' }).fill('a cup of coffee')
    await page.getByRole('button', { name: 'Generate' }).click()
    await expect(page.getByText('Failed to generate images. Retrying with alternative method...')).toBeVisible()
    await expect(page.getByText('Generated 1 image(s) successfully!')).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText('Drawn by Gemini')).toBeVisible()

    await faults.order({ kind: 'status', status: 500, times: 2 })
    await page.getByRole('button', { name: 'Generate' }).click()
    await expect(page.getByText('Using demo images. Please check your image generation settings.')).toBeVisible({ timeout: 30_000 })
    await expect(page.getByRole('list', { name: 'Demo images' }).getByRole('img')).toHaveCount(4)
    await faults.mend()
    await faults.order({ kind: 'empty_choices', times: 2 })
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByText('Images generated with demo data!')).toBeVisible({ timeout: 30_000 })
    await faults.mend()
    const stats = await page.getByText('Images made').locator('..').textContent()
    expect(stats).toContain('1')
  })
})
