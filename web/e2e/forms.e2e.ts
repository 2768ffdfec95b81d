import { expect, expectSound, newEmail, newTrialSeller, test } from './steps.ts'

test('a form is made and sent from another browser; its answer and consent are with the contact, live and on the timeline [spec-135]', async ({
  page,
  browser,
}) => {
  await newTrialSeller(page, '/dashboard/crm?tab=forms')
  await expect(page.getByText('No forms yet')).toBeVisible()
  await page.getByRole('button', { name: 'New form' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New form' })
  await dialog.getByLabel('Title').fill('Contact us')
  await dialog.getByLabel('Phone').selectOption('optional')
  await dialog.getByRole('button', { name: 'Create form' }).click()
  const row = page.getByRole('list', { name: 'Forms' }).getByRole('listitem')
  await expect(row.getByText('Sent 0 times')).toBeVisible()
  const path = (await row.getByRole('link', { name: 'Open', exact: true }).getAttribute('href'))!
  await row.getByRole('button', { name: 'Embed' }).click()
  const html = await page.getByLabel('HTML of the form').inputValue()
  await page.getByRole('button', { name: 'Close' }).last().click()

  const context = await browser.newContext({ baseURL: new URL(page.url()).origin })
  const visitor = await context.newPage()
  await visitor.goto(path)
  await expect(visitor.getByRole('heading', { name: 'Contact us' })).toBeVisible()
  const email = newEmail()
  await visitor.getByLabel('Your name').fill('Ines Ortega')
  await visitor.getByRole('textbox', { name: 'Email' }).fill(email)
  await visitor.getByLabel('What is it about? (optional)').fill('A website for the café')
  await visitor.getByLabel('You may email me news and offers.').check()
  await visitor.getByRole('button', { name: 'Send' }).click()
  await expect(visitor.getByText('Thank you. We will get back to you.')).toBeVisible()

  await expect(row.getByText(/^Sent once/)).toBeVisible()
  await row.getByRole('button', { name: 'Answers' }).click()
  const answers = page.getByRole('dialog', { name: 'Answers to “Contact us”' })
  await expect(answers.getByText('Agreed: You may email me news and offers.')).toBeVisible()
  await answers.getByRole('button', { name: 'Ines Ortega' }).click()
  await expect(page.getByRole('region', { name: 'Timeline' }).getByText(/A website for the café/)).toBeVisible()

  // As on a site of its own, without any script of ours.
  await visitor.setContent(html)
  await visitor.getByRole('textbox', { name: 'Name' }).fill('Bo Berg')
  await visitor.getByRole('textbox', { name: 'Email' }).fill(newEmail())
  await visitor.getByRole('button', { name: 'Send' }).click()
  await expect(visitor.getByRole('heading', { name: 'Sent' })).toBeVisible()
  await context.close()
  await page.goto('/dashboard/crm?tab=forms')
  await expect(row.getByText(/^Sent 2 times/)).toBeVisible()
})

test('forms and their page are accessible and fit, in both themes at three widths @proof', async ({ page }) => {
  await newTrialSeller(page, '/dashboard/crm?tab=forms')
  await page.getByRole('button', { name: 'New form' }).first().click()
  await page.getByLabel('Title').fill('Contact us')
  await page.getByRole('button', { name: 'Create form' }).click()
  const open = page.getByRole('link', { name: 'Open', exact: true })
  await expect(open).toBeVisible()
  await expectSound(page)
  await page.goto((await open.getAttribute('href'))!)
  await expect(page.getByRole('heading', { name: 'Contact us' })).toBeVisible()
  await expectSound(page)
})
