import { shotsOf } from './shots.ts'
import { expect, expectSound, newTrialSeller, test } from './steps.ts'

const sheet = `Name,E-mail,Company
Ines Ortega,ines@harbour-cafe.example,Harbour Cafe
Tom Reed,tom@reed.example,Reed & Sons
,not an address,
`

test('a contact is added, noted, warmed by nothing, deleted and brought back; a spreadsheet is checked, imported and undone [spec-135]', async ({
  page,
}) => {
  await newTrialSeller(page, '/dashboard/crm')
  await expect(page.getByText('No contacts yet')).toBeVisible()
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await page.getByLabel('Name').fill('Ines Ortega')
  await page.getByLabel('Email').fill('ines@harbour-cafe.example')
  await page.getByRole('button', { name: 'Add contact' }).click()
  await page.getByRole('button', { name: 'Ines Ortega', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Ines Ortega' })
  await panel.getByLabel('Note').fill('Wants a quote by Friday')
  await panel.getByRole('button', { name: 'Add note' }).click()
  await expect(panel.getByRole('region', { name: 'Timeline' }).getByText('Wants a quote by Friday')).toBeVisible()
  await expect(panel.getByText('Cold at 0 points')).toBeVisible()
  await panel.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByText('No contacts yet')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('button', { name: 'Ines Ortega', exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Import' }).click()
  const importing = page.getByRole('dialog', { name: 'Import contacts' })
  await importing.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(sheet) })
  await importing.getByRole('button', { name: 'Check the file' }).click()
  for (const [count, of] of [
    ['1', 'New'],
    ['1', 'Changed'],
    ['1', 'Left out'],
  ] as const)
    await expect(
      importing
        .locator('div', { has: page.getByText(of, { exact: true }) })
        .getByRole('definition')
        .first(),
    ).toHaveText(count)
  await importing.getByRole('button', { name: 'Import 2 contacts' }).click()
  await expect(importing.getByText('1 added, 1 changed.')).toBeVisible()
  // The undo is over before the page looks at it.
  await page.route('**/undo-import', async (route) => {
    const response = await route.fetch()
    await new Promise((resolve) => setTimeout(resolve, 800))
    await route.fulfill({ response })
  })
  await importing.getByRole('button', { name: 'Undo import' }).click()
  await expect(importing.getByText('Undone: 1 removed, 1 restored.')).toBeVisible()
  await importing.getByRole('button', { name: 'Close' }).first().click()
  await expect(page.getByRole('button', { name: 'Ines Ortega', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Tom Reed', exact: true })).toHaveCount(0)
})

test.describe('files', () => {
  test.use({ allowed: [/404/] })

  test('a file of a contact is added, downloaded, taken off, put back, and said to be gone once it is', async ({ page }) => {
    test.slow()
    await newTrialSeller(page, '/dashboard/crm')
    await page.getByRole('button', { name: 'New contact' }).first().click()
    await page.getByLabel('Name').fill('Ines Ortega')
    await page.getByRole('button', { name: 'Add contact' }).click()
    await page.getByRole('button', { name: 'Ines Ortega', exact: true }).click()
    const files = page.getByRole('dialog', { name: 'Ines Ortega' }).getByRole('region', { name: 'Files' })
    await expect(files.getByText('Quotes, contracts and photos of this contact, kept in your Library.')).toBeVisible()
    await files.locator('input[type=file]').setInputFiles({ name: 'Quote.txt', mimeType: 'text/plain', buffer: Buffer.from('Two days') })
    await expect(files.getByRole('button', { name: 'Download Quote.txt' })).toBeVisible()
    const download = page.waitForEvent('download')
    await files.getByRole('button', { name: 'Download Quote.txt' }).click()
    expect((await download).suggestedFilename()).toBe('Quote.txt')
    await files.getByRole('button', { name: 'Take Quote.txt off' }).click()
    await expect(files.getByText('Quote.txt')).toHaveCount(0)
    await shotsOf('contact-files', false)(page, 'taken-off')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(files.getByText('Quote.txt')).toBeVisible()

    await page.goto('/dashboard/library')
    await page.getByRole('button', { name: 'Delete Quote.txt' }).click()
    await page.goto('/dashboard/crm')
    await page.getByRole('button', { name: 'Ines Ortega', exact: true }).click()
    await files.getByRole('button', { name: 'Download Quote.txt' }).click()
    await expect(page.getByText('It is no longer in your Library.')).toBeVisible()
  })
})

test('the contacts are accessible and fit, in both themes at three widths @proof', async ({ page }) => {
  await newTrialSeller(page, '/dashboard/crm')
  await expect(page.getByText('No contacts yet')).toBeVisible()
  await expectSound(page)
})
