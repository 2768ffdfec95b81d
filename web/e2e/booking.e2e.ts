import { payByCard, readySeller } from './selling.ts'
import { call, enter, expect, expectSound, linkTo, newEmail, newTrialSeller, test } from './steps.ts'

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

test('the calendar and a booking page are accessible and fit, in both themes at three widths @proof', async ({ page }) => {
  await newTrialSeller(page, '/dashboard/calendar')
  await expect(page.getByRole('heading', { name: 'Calendar' })).toBeVisible()
  await expectSound(page)
})

test('a visitor pays for a time at the checkout, is booked, and gets it back by cancelling in time [spec-131]', async ({
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
