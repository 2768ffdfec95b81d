import { shotsOf } from './shots.ts'
import { expect, expectSound, newEmail, newTrialSeller, test } from './steps.ts'

test('a contact shows the emails of a mailbox once its owner turns that on, and says when it has to be connected again', async ({
  page,
}) => {
  test.slow()
  const shot = shotsOf('contact-mail', false)
  await newTrialSeller(page, '/dashboard/app-library')
  const account = newEmail()
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Connect Gmail' }).click()])
  await popup.getByLabel('Or another email address').fill(account)
  await popup.getByRole('button', { name: 'Approve' }).click()
  await popup.waitForEvent('close')
  for (const [from, to, subject, text] of [
    ['Ines Ortega <ines@harbour-cafe.example>', account, 'The quote', 'Thank you for the quote. Could we start in January?'],
    [account, 'Ines Ortega <ines@harbour-cafe.example>', 'Re: The quote', 'January works. I will send dates on Monday.'],
    ['Mary Ines <mary.ines@harbour-cafe.example>', account, 'Lunch', 'Not with this contact'],
  ] as const)
    await page.request.post('/sandbox/apps/happen', { form: { app: 'gmail', email: account, from, to, subject, text } })

  await page.goto('/dashboard/crm')
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await page.getByLabel('Name').fill('Ines Ortega')
  await page.getByLabel('Email').fill('ines@harbour-cafe.example')
  await page.getByRole('button', { name: 'Add contact' }).click()
  await page.getByRole('button', { name: 'Ines Ortega', exact: true }).click()
  const timeline = page.getByRole('dialog', { name: 'Ines Ortega' }).getByRole('region', { name: 'Timeline' })
  await expect(timeline.getByText('Emails with this contact can be shown here.')).toBeVisible()
  await timeline.scrollIntoViewIfNeeded()
  await shot(page, 'off')
  await timeline.getByRole('link', { name: 'Choose mailboxes' }).click()

  const panel = page.getByRole('dialog', { name: 'Gmail' })
  const toggle = panel.getByRole('switch', { name: `Show email with contacts on their timelines: ${account}` })
  await expect(toggle).not.toBeChecked()
  await toggle.click()
  await expect(toggle).toBeChecked()
  await expectSound(page)
  await shot(page, 'setting')

  const open = async () => {
    await page.goto('/dashboard/crm')
    await page.getByRole('button', { name: 'Ines Ortega', exact: true }).click()
  }
  await open()
  await expect(timeline.getByRole('link', { name: 'The quote', exact: true })).toHaveAttribute('href', /^https:\/\/mail\.google\.com\//)
  await expect(timeline.getByText('To Ines Ortega')).toBeVisible()
  await expect(timeline.getByText('Lunch')).toHaveCount(0)
  await page.getByLabel('Note').fill('Wants to start in January')
  await page.getByRole('button', { name: 'Add note' }).click()
  await expect(timeline.getByRole('listitem').first()).toContainText('Wants to start in January')
  await expectSound(page)
  await timeline.scrollIntoViewIfNeeded()
  await shot(page, 'emails')

  // The timeline waits for no mailbox, and says which one did not answer.
  await page.request.post('/sandbox/faults', { data: { provider: 'apps', account, kind: 'hung', times: 10 } })
  await open()
  await expect(timeline.getByText('Wants to start in January')).toBeVisible()
  await expect(timeline.getByText('Looking for emails with this contact')).toBeVisible()
  await expect(timeline.getByText(`Emails of ${account} could not be read. It did not answer in time.`)).toBeVisible({ timeout: 15_000 })
  await expect(timeline.getByText('Wants to start in January')).toBeVisible()
  await timeline.scrollIntoViewIfNeeded()
  await shot(page, 'slow')
  await page.request.delete(`/sandbox/faults?account=${account}`)
  await timeline.getByRole('button', { name: 'Try again' }).click()
  await expect(timeline.getByRole('link', { name: 'The quote', exact: true })).toBeVisible()

  const { grants } = await (await page.request.get('/sandbox/api/apps')).json()
  await page.request.post(`/sandbox/apps/grants/${grants.find(({ email }: { email: string }) => email === account).id}/cut`)
  await open()
  await expect(timeline.getByText(`Reconnect ${account} to see its emails`)).toBeVisible()
  await expect(timeline.getByText('Wants to start in January')).toBeVisible()
  await timeline.scrollIntoViewIfNeeded()
  await shot(page, 'broken')
  await timeline.getByRole('link', { name: 'Reconnect' }).click()
  await expect(panel.getByRole('button', { name: 'Connect again' })).toBeVisible()
})
