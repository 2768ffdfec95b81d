import { shotsOf } from './shots.ts'
import { expect, expectSound, newEmail, newTrialSeller, test } from './steps.ts'

// A refused password answers 400.
test.use({ allowed: [/status of 400/] })

test('a calendar at a CalDAV server is connected by its address: an event there takes a time of the booking page, and what is booked stands there [spec-131]', async ({
  page,
  browser,
}) => {
  test.slow()
  const shot = shotsOf('caldav')
  await newTrialSeller(page, '/dashboard/calendar?tab=pages')
  await page.getByRole('button', { name: 'New booking page' }).click()
  const made = page.getByRole('dialog', { name: 'New booking page' })
  await made.getByLabel('Title').fill('First call')
  await made.getByRole('button', { name: 'Create page' }).click()
  const path = (await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href'))!

  const server = (await (await page.request.get('/sandbox/apps/dav')).text()).match(/<code>(http:[^<]+)<\/code>/)![1]!
  const account = newEmail()
  await page.goto('/dashboard/calendar?tab=synced')
  await shot(page, 'none')
  await page.getByRole('button', { name: 'Connect CalDAV' }).click()
  const asks = page.getByRole('dialog', { name: 'Connect a CalDAV calendar' })
  await asks.getByLabel('Server address').fill(server)
  await asks.getByLabel('User name').fill(account)
  await asks.getByRole('textbox', { name: 'App password' }).fill('my usual password')
  await asks.getByRole('button', { name: 'Find calendars' }).click()
  await expect(asks.getByText(/did not accept this user name and password/)).toBeVisible()
  await shot(page, 'refused')
  await asks.getByRole('textbox', { name: 'App password' }).fill('sandbox_mine')
  await asks.getByRole('button', { name: 'Find calendars' }).click()
  const chooses = page.getByRole('dialog', { name: 'Choose calendars' })
  await expect(chooses.getByLabel('Home')).toBeChecked()
  await expect(chooses.getByLabel(/Birthdays/)).not.toBeChecked()
  await chooses.getByLabel('Add appointments to').selectOption('Work')
  await shot(page, 'choose')
  await chooses.getByRole('button', { name: 'Connect' }).click()
  const row = (name: string) => page.getByRole('list', { name: 'Connected calendars' }).getByRole('listitem').filter({ hasText: name })
  await expect(row('Home').getByText(/CalDAV · Synced/)).toBeVisible({ timeout: 20_000 })
  await expect(row('Work').getByText(/CalDAV · Synced/)).toBeVisible({ timeout: 20_000 })
  await expect(row('Home').getByRole('switch', { name: /Add appointments there/ })).toHaveAttribute('aria-checked', 'false')
  await expect(row('Work').getByRole('switch', { name: /Add appointments there/ })).toHaveAttribute('aria-checked', 'true')
  await expectSound(page)
  await shot(page, 'connected')

  const context = await browser.newContext({ timezoneId: 'UTC', baseURL: new URL(page.url()).origin })
  const visitor = await context.newPage()
  const slots = visitor.getByRole('listitem').getByRole('button')
  const [asked] = await Promise.all([visitor.waitForRequest(/list-slots/), visitor.goto(path)])
  const offered = async () =>
    (await (await visitor.request.post('/functions/v1/list-slots', { data: asked.postDataJSON() })).json()).slots as string[]
  const [taken] = await offered()
  const end = new Date(Date.parse(taken!) + 60_000).toISOString()
  await expect(slots.first()).toBeVisible()
  const before = await slots.count()
  const event = { email: account, calendar: 'home', name: 'dentist.ics', title: 'Dentist', start: taken!, end }
  await page.request.post('/sandbox/apps/dav/put', { form: event })
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect.poll(offered, { timeout: 20_000 }).not.toContain(taken)
  await visitor.reload()
  await expect(slots.first()).toBeVisible()
  expect(await slots.count()).toBeLessThan(before)

  await slots.last().click()
  await visitor.getByLabel('Your name').fill('Ines Ortega')
  await visitor.getByLabel('Email').fill(newEmail())
  await visitor.getByLabel('Phone').fill('+1 212 555 0100')
  await visitor.getByRole('button', { name: 'Book this time' }).click()
  await expect(visitor.getByRole('heading', { name: 'You are booked' })).toBeVisible()
  await context.close()
  await expect(async () => {
    expect(await (await page.request.get('/sandbox/apps/dav')).text()).toContain('First call')
  }).toPass()

  await row('Work').getByRole('button', { name: 'Disconnect Work' }).click()
  await page.getByRole('dialog', { name: 'Disconnect Work?' }).getByRole('button', { name: 'Disconnect' }).click()
  await expect(row('Work')).toHaveCount(0)
  await expect(row('Home')).toBeVisible()
})
