import { expect, expectSound, newEmail, newTrialSeller, test } from './steps.ts'

test('a Google calendar that was connected shows here and takes its times, and appointments are written into it [spec-131]', async ({
  page,
}) => {
  test.slow()
  await newTrialSeller(page, '/dashboard/calendar?tab=synced')
  await expect(page.getByText('No calendar connected')).toBeVisible()
  await expectSound(page)
  await page.goto('/dashboard/app-library')
  const account = newEmail()
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Connect Google Calendar' }).click()])
  await popup.getByLabel('Or another email address').fill(account)
  await popup.getByRole('button', { name: 'Approve' }).click()
  await popup.waitForEvent('close')
  // It is found and read by itself.
  await page.goto('/dashboard/calendar?tab=synced')
  const row = page.getByRole('list', { name: 'Connected calendars' }).getByRole('listitem')
  await expect(async () => {
    await page.reload()
    await expect(row.getByText(/Google Calendar · Synced/)).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expectSound(page)

  const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const fields = { email: account, title: 'Dentist', start: `${day}T10:00:00.000Z`, end: `${day}T11:00:00.000Z` }
  await page.request.post('/sandbox/apps/calendars/google/new', { form: fields })
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page.goto(`/dashboard/calendar?view=day&day=${day}`)
  await expect(async () => {
    await page.reload()
    await expect(page.getByText('Dentist')).toBeVisible({ timeout: 2000 })
  }).toPass()
  await page.getByRole('button', { name: 'New appointment' }).click()
  await page.getByLabel('Title').fill('Website review')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(async () => {
    expect(await (await page.request.get('/sandbox/apps/calendars')).text()).toContain('Website review')
  }).toPass()
})
