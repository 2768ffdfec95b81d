import type { Page } from '@playwright/test'
import { call, expect, expectAccessible, later, newEmail, newTrial, signInAsStaff, test, trialSeller } from './steps.ts'

const shots = process.env.E2E_SHOTS
const shot = (page: Page, name: string) => shots && page.screenshot({ path: `${shots}/staff-${name}.png`, fullPage: true })

test('who is not staff finds nothing at /staff [spec-36]', async ({ page }) => {
  await page.goto('/staff')
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
  await trialSeller(page, '/staff')
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
})

test('staff look up an account, extend its trial, refund its payment, and every step is in the log with its reason [spec-36]', async ({
  page,
  request,
}) => {
  test.setTimeout(120_000)
  const email = newEmail()
  const seller = await newTrial(request, email)
  await signInAsStaff(page, request)
  await page.goto('/staff')

  const lookUp = async (reason: string) => {
    await page.getByRole('textbox', { name: 'Account' }).fill(email)
    await page.getByRole('textbox', { name: 'Reason' }).fill(reason)
    await page.getByRole('button', { name: 'Look up' }).click()
    await expect(page.getByText('Basic, $49 per month')).toBeVisible()
  }
  await test.step('the trial grows, after saying what that does', async () => {
    await lookUp('asked by mail to look')
    await page.getByRole('button', { name: 'Extend trial' }).click()
    const panel = page.getByRole('dialog', { name: 'Extend the trial' })
    await panel.getByLabel('Days').fill('2')
    await expect(panel.getByText(/^Moves the first charge from .+ to .+/)).toBeVisible()
    await expect(panel.getByRole('button', { name: 'Extend by 2 days' })).toBeDisabled()
    await panel.getByLabel('Reason').fill('was ill for two days')
    await panel.getByRole('button', { name: 'Extend by 2 days' }).click()
    await expect(page.getByText(/^The trial runs until/)).toBeVisible()
    await expect(page.getByRole('row', { name: /extend trial by 2 days.*was ill for two days/ })).toBeVisible()
  })

  await test.step('a payment goes back in part', async () => {
    await later(request, email, 5.1)
    await expect.poll(async () => (await call(request, seller, 'check-subscription')).status, { timeout: 20_000 }).toBe('active')
    await expect(async () => {
      await lookUp('the refund they asked for')
      await expect(page.getByRole('button', { name: /^Refund ch_/ })).toBeVisible({ timeout: 2000 })
    }).toPass({ timeout: 20_000 })
    await page.getByRole('button', { name: /^Refund ch_/ }).click()
    const panel = page.getByRole('dialog', { name: /^Refund/ })
    await panel.getByLabel('Amount in USD').fill('60')
    await expect(panel.getByText('Between 0.01 and 49.00.')).toBeVisible()
    await panel.getByLabel('Amount in USD').fill('20')
    await expect(panel.getByText(/^Sends \$20 of the payment/)).toBeVisible()
    await panel.getByLabel('Reason').fill('a week could not be used')
    await shot(page, 'refund')
    await panel.getByRole('button', { name: 'Refund $20' }).click()
    await expect(page.getByText('$20 was refunded')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Billing history' }).getByText('-$20')).toBeVisible()
  })

  await test.step('the failed events and the log', async () => {
    await page.getByRole('tab', { name: 'Failed events' }).click()
    // Each tab has a reason of its own.
    const events = page.getByRole('tabpanel', { name: 'Failed events' })
    await events.getByRole('textbox', { name: 'Reason' }).fill('the morning look')
    await events.getByRole('button', { name: 'List failed events' }).click()
    await expect(page.getByText('No event has failed')).toBeVisible()
    await page.getByRole('tab', { name: 'Log' }).click()
    const log = page.getByRole('region', { name: 'Staff actions' })
    for (const reason of ['the morning look', 'a week could not be used', 'was ill for two days', 'asked by mail to look'])
      await expect(log.getByRole('row', { name: reason }).first()).toBeVisible()
  })

  for (const theme of ['dark', 'light'])
    for (const width of [1440, 390])
      await test.step(`accessible and fitting: ${theme}, ${width} px`, async () => {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate((value) => localStorage.setItem('operon-theme', value), theme)
        await page.goto('/staff')
        await lookUp('a look at the page itself')
        await expectAccessible(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        await shot(page, `${theme}-${width}`)
      })
})
