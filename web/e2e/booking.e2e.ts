import { payByCard, readySeller } from './selling.ts'
import { shotsOf } from './shots.ts'
import { call, enter, expect, expectSound, linkTo, newEmail, newTrialSeller, test } from './steps.ts'

const shot = shotsOf('booking')

test('a visitor in another time zone books, the owner sees it in the calendar and on the contact, and the visitor cancels [spec-131]', async ({
  page,
  browser,
}) => {
  await newTrialSeller(page, '/dashboard/calendar')
  await page.getByRole('tab', { name: 'Booking pages' }).click()
  await page.getByRole('button', { name: 'New booking page' }).click()
  const dialog = page.getByRole('dialog', { name: 'New booking page' })
  await dialog.getByLabel('Title').fill('First call')
  await dialog.getByRole('button', { name: 'Create page' }).click()
  const path = (await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href'))!

  const context = await browser.newContext({ timezoneId: 'America/New_York', baseURL: new URL(page.url()).origin })
  const visitor = await context.newPage()
  const email = newEmail()
  await visitor.goto(path)
  await expect(visitor.getByLabel('Time zone')).toHaveValue('America/New_York')
  await visitor.getByRole('listitem').getByRole('button').last().click()
  await visitor.getByLabel('Your name').fill('Ines Ortega')
  await visitor.getByLabel('Email').fill(email)
  await visitor.getByLabel('Phone').fill('+1 212 555 0100')
  await visitor.getByRole('button', { name: 'Book this time' }).click()
  await expect(visitor.getByRole('heading', { name: 'You are booked' })).toBeVisible()

  await page.goto('/dashboard/crm')
  await page.getByRole('button', { name: 'Ines Ortega', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Timeline' }).getByText(/Booked/)).toBeVisible()

  await visitor.goto(await linkTo(visitor, email, '/booking/', /Your booking with/))
  await visitor.getByRole('button', { name: 'Cancel booking' }).click()
  await visitor.getByRole('dialog').getByRole('button', { name: 'Cancel booking' }).click()
  await expect(visitor.getByText('Cancelled')).toBeVisible()
  await context.close()
})

test('a guest who ticks it is texted before the meeting, at the number that they gave [spec-131] @proof', async ({
  page,
  request,
  browser,
}) => {
  test.setTimeout(240_000)
  const seller = await newTrialSeller(page, '/dashboard/calendar?tab=pages')
  await page.getByRole('button', { name: 'New booking page' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New booking page' })
  await dialog.getByLabel('Title').fill('First call')
  await dialog.getByLabel('Shortest notice').selectOption('0')
  await dialog.getByLabel('Days ahead').fill('30')
  await dialog.getByLabel('Text reminder').selectOption('2880')
  await expect(dialog.getByText('5 text reminders in 24 hours; 5 are left')).toBeVisible()
  await shot(page, 'page', { fullPage: false })
  await dialog.getByRole('button', { name: 'Create page' }).click()
  const path = (await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href'))!

  const context = await browser.newContext({ timezoneId: 'America/New_York', baseURL: new URL(page.url()).origin })
  const visitor = await context.newPage()
  await visitor.goto(path)
  await visitor.getByRole('listitem').getByRole('button').last().click()
  await visitor.getByLabel('Your name').fill('Ines Ortega')
  await visitor.getByLabel('Email').fill(newEmail())
  await visitor.getByLabel('Text me a reminder 2 days before').check()
  await visitor.getByLabel('Phone').fill('212 555 0100')
  await visitor.getByRole('button', { name: 'Book this time' }).click()
  await expect(visitor.getByText('Enter a mobile number with its country code')).toBeVisible()
  await shot(visitor, 'guest')
  const number = `+1212${String(Date.now()).slice(-7)}`
  await visitor.getByLabel('Phone').fill(number)
  await visitor.getByRole('button', { name: 'Book this time' }).click()
  await expect(visitor.getByRole('heading', { name: 'You are booked' })).toBeVisible()
  // Another booking, whose text comes due within a minute.
  const { event_types: pages, slug } = await call(request, seller, 'list-event-types')
  const asked = {
    profile: slug,
    event_type: 'first-call',
    zone: 'UTC',
    from: new Date(Date.now() + 172_800_000).toISOString().slice(0, 10),
    days: 7,
  }
  const [start] = (await call(request, seller, 'list-slots', asked)).slots
  const { id, version, url: _url, upcoming: _upcoming, ...kept } = pages[0]
  const sms_minutes = Math.floor((Date.parse(start) - Date.now() - 5_000) / 60_000)
  await call(request, seller, 'update-event-type', { ...kept, event_type_id: id, version, sms_minutes })
  const guest = { start, name: 'Ines Ortega', email: newEmail(), zone: 'Europe/Madrid', phone: number, text_me: true }
  const booked = await call(request, seller, 'book', { ...guest, profile: slug, event_type: 'first-call' })
  await expect
    .poll(async () => (await (await request.get(`/sandbox/api/inbox?to=${encodeURIComponent(number)}`)).json()).messages, {
      timeout: 180_000,
    })
    .toMatchObject([{ text: expect.stringMatching(/^Reminder: First call with .+ Reply STOP to end texts\.$/) }])
  await page.goto(`/dashboard/calendar?day=${start.slice(0, 10)}&open=${booked.booking_id}`)
  await expect(page.getByText('Reminder sent')).toBeVisible()
  await shot(page, 'sent', { fullPage: false })
  await page.goto('/sandbox/inbox')
  await expect(page.getByText('Reminder: First call').first()).toBeVisible()
  await context.close()
})

test('the calendar and a booking page are accessible and fit, in both themes at three widths @proof', async ({ page }) => {
  await newTrialSeller(page, '/dashboard/calendar')
  await expect(page.getByRole('heading', { name: 'Calendar' })).toBeVisible()
  await expectSound(page)
})

test('a visitor pays for a time at the checkout, is booked, and gets it back by cancelling in time [spec-131] @proof', async ({
  page,
  request,
  browser,
}) => {
  const seller = await readySeller(request)
  const made = {
    title: 'Consultation',
    slug: 'consultation',
    minutes: 60,
    place_kind: 'link',
    place: 'https://meet.example/ann',
    notice_minutes: 0,
  }
  const { url } = await call(request, seller, 'create-event-type', { ...made, price_cents: 4000, refund_hours: 0, zone: 'Europe/Berlin' })
  await enter(page, seller, '/dashboard/calendar?tab=pages')
  await expect(page.getByText('$40', { exact: false })).toBeVisible()

  const context = await browser.newContext({ timezoneId: 'America/New_York', baseURL: new URL(page.url()).origin })
  const visitor = await context.newPage()
  const email = newEmail()
  await visitor.goto(new URL(url).pathname)
  await visitor.getByRole('listitem').getByRole('button').last().click()
  await visitor.getByLabel('Your name').fill('Ines Ortega')
  await visitor.getByLabel('Email').fill(email)
  await visitor.getByRole('button', { name: 'Pay $40' }).click()
  await payByCard(visitor)
  await expect(visitor.getByRole('heading', { name: 'You are booked' })).toBeVisible({ timeout: 20_000 })
  await expect(visitor.getByText(/\$40 paid\. You get it back/)).toBeVisible()
  await expectSound(visitor)

  await visitor.goto(await linkTo(visitor, email, '/booking/', /Your booking with/))
  await visitor.getByRole('button', { name: 'Cancel booking' }).click()
  await expect(visitor.getByRole('dialog').getByText('goes back to the card that paid')).toBeVisible()
  await visitor.getByRole('dialog').getByRole('button', { name: 'Cancel booking' }).click()
  await expect(visitor.getByText('Cancelled')).toBeVisible()
  await linkTo(visitor, email, '/booking/', /was refunded/)
  await visitor.reload()
  await expect(visitor.getByText('$40 was refunded to the card that paid')).toBeVisible()
  const { sales } = await call(request, seller, 'list-sales')
  expect(sales).toMatchObject([{ kind: 'booking', amount_cents: 4000, refunded_cents: 4000 }])
  await context.close()
})
