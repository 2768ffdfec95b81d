import { call, expect, newTrialSeller, test } from './steps.ts'

test('the Library lists what was uploaded and made, with its space, and brings back what was deleted [spec-84]', async ({ page }) => {
  const session = await newTrialSeller(page, '/dashboard/library')
  await expect(page.getByText('No files yet')).toBeVisible()
  await expect(page.getByText('5 GB')).toBeVisible()
  await call(page.request, session, 'generate-image', { prompt: 'a red bicycle' })
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Call the printer on Monday.') }
  await page.getByLabel('Add files').setInputFiles(notes)
  await expect(page.getByText('notes.txt', { exact: true })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('link', { name: 'a-red-bicycle.png', exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Delete notes.txt', exact: true }).click()
  await expect(page.getByText('notes.txt', { exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('notes.txt', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Delete notes.txt', exact: true }).click()
  const gone = async () => (await call(page.request, session, 'media-files', {})).files.map(({ name }: { name: string }) => name)
  await page.goto('/dashboard/image-studio')
  await expect.poll(gone).not.toContain('notes.txt')
})
