import type { Page } from '@playwright/test'
import { call, enter, expect, expectSound, newEmail, newTrial, test } from './steps.ts'

const people = ['Ines Ortega', 'Tom Reed']
// A token that MailerSend refuses, and a model that does not answer.
test.use({ allowed: [/status of (400|503)/] })
/** As a reader's own program would ask; the browser under test names itself a headless one, which counts as a machine. */
const reader = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Mail' }

test('a newcomer connects MailerSend, has an email written, tests it, sends it to a segment, sees it opened and loses who unsubscribes [spec-132] [spec-133] [spec-134]', async ({
  page,
}) => {
  test.setTimeout(120_000)
  const email = newEmail()
  const session = await newTrial(page.request, email)
  const addresses = people.map((name) => `${name.split(' ')[0]!.toLowerCase()}-${Date.now().toString(36)}@example.com`)
  for (const [at, name] of people.entries())
    await call(page.request, session, 'create-contact', { name, email: addresses[at], tags: ['vip'] })
  await call(page.request, session, 'create-contact', { name: 'Not of them', email: `other-${addresses[0]}` })

  await enter(page, session, '/dashboard/email-studio')
  await expect(page.getByText('No campaigns yet')).toBeVisible()
  await expect(page.getByText('Sample data')).toBeVisible()
  await shot(page, 'empty')

  await test.step('without a provider, that is said before anything else', async () => {
    const { campaign_id } = await call(page.request, session, 'create-campaign', { name: 'Too early' })
    await page.goto(`/dashboard/email-studio?campaign=${campaign_id}`)
    await page.getByRole('button', { name: 'Review and send' }).click()
    const review = page.getByRole('dialog', { name: 'Review and send' })
    await expect(review.getByText('Please connect MailerSend first')).toBeVisible()
    await expect(review.getByRole('button', { name: 'Send to 3 recipients' })).toBeDisabled()
    await page.goto('/dashboard/email-studio')
  })
  await test.step('the provider', async () => {
    await page.evaluate(() => {
      const open = window.open
      window.open = () => {
        window.open = open
        return null
      }
    })
    await page.getByRole('button', { name: 'Connect MailerSend' }).click()
    await expect(page.getByText('Please allow popups for OAuth authentication')).toBeVisible()
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Connect MailerSend' }).click()])
    const token = await popup.getByLabel('New token').inputValue()
    await popup.close()
    await expect(page.getByRole('button', { name: 'Waiting for you' })).toBeVisible()
    const asked = page.getByRole('dialog', { name: 'Enter your MailerSend API token' })
    await expect(asked).toBeVisible({ timeout: 12_000 })
    await asked.getByLabel('API token').fill('mlsn.wrong')
    await asked.getByRole('button', { name: 'Connect' }).click()
    await expect(asked.getByRole('alert')).toContainText('Failed to connect to MailerSend')
    await asked.getByLabel('API token').fill(token)
    await asked.getByRole('button', { name: 'Connect' }).click()
    await expect(page.getByText('MailerSend is connected')).toBeVisible()
    await expect(page.getByText('Connect a provider to send')).toBeHidden()
  })

  await test.step('the draft', async () => {
    await page.getByRole('button', { name: 'New campaign' }).first().click()
    const beginning = page.getByRole('dialog', { name: 'New campaign' })
    await expect(beginning.getByRole('button', { name: 'Generate email' })).toBeDisabled()
    await beginning.getByLabel('What should the email say?').fill('Announce our spring sale: 20% off until Sunday')
    await shot(page, 'new')
    await page.route('**/generate-email', (route) => route.fulfill({ status: 503, json: { message: 'The model is busy.' } }), { times: 1 })
    await beginning.getByRole('button', { name: 'Generate email' }).click()
    await expect(page.getByText('Failed to generate email with AI')).toBeVisible()
    await beginning.getByRole('button', { name: 'Generate email' }).click()
    await expect(page.getByLabel('Subject', { exact: true })).not.toHaveValue('', { timeout: 20_000 })
  })
  await test.step('the editor', async () => {
    const subject = page.getByLabel('Subject', { exact: true })
    await subject.fill('Spring is here, {{ first_name | default: "friend" }}')
    const preview = page.frameLocator('iframe[title="Preview of the email"]')
    await expect(page.getByText('Spring is here, Ines')).toBeVisible()
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Add a block' }).click()
    await page.getByRole('menuitem', { name: 'Heading' }).click()
    await page.getByLabel('Heading', { exact: true }).fill('See you on Sunday')
    await expect(preview.getByRole('heading', { name: 'See you on Sunday' })).toBeVisible()
    await page.keyboard.press('Control+z')
    await expect(preview.getByRole('heading', { name: 'See you on Sunday' })).toBeHidden()
    await page.keyboard.press('Control+Shift+z')
    await expect(preview.getByRole('heading', { name: 'See you on Sunday' })).toBeVisible()
    await page.getByRole('button', { name: 'Suggest' }).click()
    await expect(page.getByRole('list', { name: 'Suggested subjects' }).getByRole('button').first()).toBeVisible({ timeout: 20_000 })
    await shot(page, 'editor')
    await page.getByLabel('To', { exact: true }).selectOption('own')
    const segment = page.getByRole('dialog', { name: 'Who gets it' })
    await segment.getByLabel('Value').selectOption('vip')
    await expect(segment.getByText('2 contacts can be emailed')).toBeVisible()
    await segment.getByLabel('Name of the segment').fill('VIPs')
    await shot(page, 'segment')
    await segment.getByRole('button', { name: 'Save segment' }).click()
    await expect(segment).toBeHidden()
    await expect(page.getByText('2 contacts can be emailed')).toBeVisible()
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
    await expectSound(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.reload()
    await expect(preview.getByRole('heading', { name: 'See you on Sunday' })).toBeVisible()
    await expect(page.getByLabel('To', { exact: true })).toContainText('VIPs')
  })
  await test.step('the test email', async () => {
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect(page.getByText(`It is on its way to ${email}.`)).toBeVisible({ timeout: 15_000 })
    expect((await inboxOf(page, email)).some(({ subject }) => subject === '[Test] Spring is here, Tom')).toBe(true)
  })
  await test.step('the last look, and off it goes', async () => {
    await page.getByRole('button', { name: 'Review and send' }).click()
    const review = page.getByRole('dialog', { name: 'Review and send' })
    await expect(review.getByText('Unsubscribe links are in every email.')).toBeVisible({ timeout: 20_000 })
    await expect(review.getByText(/The footer does not say/)).toBeVisible()
    await shot(page, 'review')
    await review.getByRole('button', { name: 'Send to 2 recipients' }).click()
    await expect(page.getByText('Opened by people')).toBeVisible()
  })
  await test.step('opens come in as they happen, those of machines apart', async () => {
    await expect(page.getByText(/Finished .*: 2 emails went out/)).toBeVisible({ timeout: 30_000 })
    const [mail] = await inboxOf(page, addresses[0]!)
    const pixel = /src="([^"]+\/mail\/open\/[^"]+)"/.exec(mail!.html)![1]!
    const stat = (label: string) => page.locator('div', { has: page.getByText(label, { exact: true }) }).last()
    await page.request.get(pixel, { headers: { 'user-agent': 'Barracuda Sentinel' } })
    await expect(stat('Opened by people')).toContainText('1 by machines')
    await expect(stat('Opened by people')).toContainText('0 · 0%')
    // Nobody reads within seconds: what comes before counts as a machine's.
    await expect(async () => {
      await page.request.get(pixel, { headers: reader })
      await expect(stat('Opened by people')).toContainText('1 · 50%', { timeout: 2_500 })
    }).toPass({ timeout: 20_000 })
    await page.getByRole('button', { name: 'Opened', exact: true }).click()
    await expect(page.getByRole('list', { name: 'Recipients' }).getByText('Ines Ortega')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Recipients' }).getByText('Tom Reed')).toBeHidden()
    await shot(page, 'report')
    await expectSound(page)
    await page.setViewportSize({ width: 1440, height: 900 })
  })
  await test.step('who unsubscribes is left out from then on', async () => {
    const [mail] = await inboxOf(page, addresses[1]!)
    const link = mail!.links.find((each) => each.includes('/mail/unsubscribe/'))!
    await page.request.post(link, { form: { 'List-Unsubscribe': 'One-Click' } })
    await page.goto('/dashboard/email-studio?tab=audience')
    await expect(page.getByRole('list', { name: 'Suppressed addresses' }).getByText(addresses[1]!)).toBeVisible()
    await shot(page, 'audience')
    await expectSound(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'VIPs' }).first().click()
    await expect(page.getByRole('dialog', { name: 'VIPs' }).getByText('1 contact can be emailed, of 2 that match')).toBeVisible()
    await page.goto('/dashboard')
    await expect(page.locator('div', { has: page.getByText('Emails Sent', { exact: true }) }).last()).toContainText('2', {
      timeout: 15_000,
    })
  })
  for (const tab of ['templates', 'sending']) {
    await page.goto(`/dashboard/email-studio?tab=${tab}`)
    await expect(page.getByRole('heading', { name: tab === 'sending' ? 'Senders' : 'Ready to fill in' })).toBeVisible()
    await shot(page, tab)
    await expectSound(page)
    await page.setViewportSize({ width: 1440, height: 900 })
  }
})

type Mail = { subject: string; html: string; links: string[] }
async function inboxOf(page: Page, to: string): Promise<Mail[]> {
  let found: Mail[] = []
  await expect
    .poll(async () => {
      found = (await (await page.request.get(`/sandbox/api/inbox?to=${encodeURIComponent(to)}`)).json()).messages
      return found.length
    })
    .toBeGreaterThan(0)
  return found
}
const shot = async (page: Page, name: string) => {
  if (!process.env.SHOTS) return
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.waitForTimeout(400)
  await page.screenshot({ path: `${process.env.SHOTS}/${name}-wide.png` })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('html').evaluate((root) => root.setAttribute('data-theme', 'light'))
  await page.waitForTimeout(400)
  await page.screenshot({ path: `${process.env.SHOTS}/${name}-phone.png` })
  await page.locator('html').evaluate((root) => root.setAttribute('data-theme', 'dark'))
  await page.setViewportSize({ width: 1440, height: 900 })
}
