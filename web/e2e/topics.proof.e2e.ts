import { shotsOf } from './shots.ts'
import { call, expect, expectSound, linkTo, newEmail, newTrialSeller, test } from './steps.ts'

const shot = shotsOf('topics')

test('a seller gives a campaign a topic, and a reader leaves that topic by the page of their preferences [spec-134]', async ({
  page,
  request,
}) => {
  const seller = await newTrialSeller(page, '/dashboard/email-studio?tab=audience')
  await page.getByRole('button', { name: 'New topic' }).click()
  const dialog = page.getByRole('dialog', { name: 'New topic' })
  await dialog.getByLabel('Title').fill('Events')
  await dialog.getByLabel('Description (optional)').fill('Tastings, once a month')
  await dialog.getByRole('button', { name: 'Add topic' }).click()
  await expect(page.getByRole('list', { name: 'Topics' }).getByText('Events')).toBeVisible()
  await expectSound(page)
  await shot(page, 'audience')

  const email = newEmail()
  await call(request, seller, 'save-sender', { provider: 'sandbox', name: 'Harbour Cafe', email: 'news@harbour.example' })
  await call(request, seller, 'create-contact', { name: 'Ines Ortega', email })
  await call(request, seller, 'save-email-topic', { title: 'Offers' })
  const { campaign_id } = await call(request, seller, 'create-campaign', {
    name: 'Spring',
    subject: 'Come by',
    text: 'A tasting on Friday.',
  })
  await page.goto(`/dashboard/email-studio?campaign=${campaign_id}`)
  await page.getByLabel('Topic').selectOption({ label: 'Events' })
  await expect(page.getByText('Readers who left this topic get no email.')).toBeVisible()
  await expect.poll(async () => (await call(request, seller, 'get-campaign', { campaign_id })).campaign.topic_id).toBeTruthy()
  await call(request, seller, 'send-campaign', { campaign_id })
  await page.goto(await linkTo(page, email, '/mail/preferences/', /Come by/))
  await shot(page, 'preferences')
  await page.getByLabel('Events').uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('You will get no more emails about Events from Harbour Cafe.')).toBeVisible()
  const again = await call(request, seller, 'duplicate-campaign', { campaign_id })
  await page.goto(`/dashboard/email-studio?campaign=${again.campaign_id}`)
  await page.getByRole('button', { name: /Review/ }).click()
  await expect(page.getByText('1 who left the topic')).toBeVisible()
})
