import { expect, newTrialSeller, test } from './steps.ts'

test('what is made and uploaded is in the Library: with its space, found by name, and a deletion can be taken back', async ({ page }) => {
  await newTrialSeller(page, '/dashboard/image-studio')
  await page.getByRole('textbox', { name: 'Prompt' }).fill('a red bicycle')
  await page.getByRole('button', { name: 'Generate' }).click()
  await expect(page.getByText('Generated 1 image(s) successfully!')).toBeVisible({ timeout: 30_000 })
  await page.goto('/dashboard/library')
  await expect(page.getByRole('link', { name: 'a-red-bicycle.png' })).toBeVisible()
  await page
    .getByLabel('Add files')
    .setInputFiles([{ name: 'price-list.csv', mimeType: 'text/csv', buffer: Buffer.from('cake;12\nbread;4\n'.repeat(2000)) }])
  await expect(page.getByText('price-list.csv', { exact: true })).toBeVisible()
  await expect(page.getByRole('meter', { name: 'Space used' })).toBeVisible()

  await page.getByRole('searchbox', { name: 'Search names' }).fill('price')
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page.getByText('a-red-bicycle.png')).toHaveCount(0)
  await page.getByRole('button', { name: 'Delete price-list.csv' }).click()
  await expect(page.getByText('No matches')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('price-list.csv', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Delete price-list.csv' }).click()
  // Leaving the page is the end of the ten seconds.
  const gone = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.getByRole('link', { name: 'Image Studio', exact: true }).click()
  expect((await gone).status()).toBe(204)
})
