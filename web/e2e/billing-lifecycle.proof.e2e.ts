import type { Page } from '@playwright/test'
import { expect, later, payAtCheckout, signUp, test, wake } from './steps.ts'

const GOOD_CARD = '4242424242424242'
const FAILS_WHEN_CHARGED = '4000000000000341'

const plan = (page: Page, name: string) => page.getByRole('article', { name })

/** The plan page until it shows what the provider has told meanwhile. */
async function plansShow(page: Page, status: string) {
  await expect(async () => {
    await page.goto('/pricing')
    await expect(page.locator('section', { hasText: 'Subscription' }).getByText(status, { exact: true })).toBeVisible({ timeout: 3000 })
  }).toPass({ timeout: 20_000 })
}

async function openPortal(page: Page, name: string) {
  const opened = page.context().waitForEvent('page')
  await plan(page, name).getByRole('button', { name: 'Manage Subscription' }).click()
  const portal = await opened
  await portal.waitForURL('**/sandbox/stripe/portal/**')
  return portal
}

async function changeCard(portal: Page, number: string) {
  await portal.getByText('Change the card').click()
  await portal.getByLabel('Card number').fill(number)
  await portal.getByRole('button', { name: 'Save card' }).click()
  await expect(portal.getByRole('status')).toHaveText('The card was changed.')
}

test('a seller’s plan from the landing page to its end: trial, paid, switched, failed, recovered, cancelled [spec-11] [spec-12] [spec-41] [spec-42] [spec-43] [spec-46]', async ({
  page,
  context,
  request,
}) => {
  test.setTimeout(180_000)
  let email = ''

  await test.step('landing, sign-up, plan, trial in the checkout of a new tab, dashboard', async () => {
    await page.goto('/')
    await wake(page)
    await page.getByRole('link', { name: 'Get Started' }).first().click()
    await page.waitForURL('**/get-started')
    await page.getByRole('link', { name: /I run or build a business/ }).click()
    await page.waitForURL('**/auth/seller')
    email = await signUp(page, '/auth/seller')
    await page.waitForURL('**/pricing')
    await expect(page.getByRole('button', { name: 'Start 3-Day Free Trial' })).toHaveCount(3)
    await expect(plan(page, 'Pro').getByText('Popular')).toBeVisible()
    const opened = context.waitForEvent('page')
    await plan(page, 'Basic').getByRole('button', { name: 'Start 3-Day Free Trial' }).click()
    const checkout = await opened
    await payAtCheckout(checkout)
    await checkout.getByRole('link', { name: 'Go to the dashboard' }).click()
    await expect(checkout.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
    await checkout.close()
  })

  await test.step('the plan is marked current, and one chat shows in its usage', async () => {
    await page.goto('/dashboard/operon-ai')
    await page.getByLabel('Message Operon AI').fill('Plan next week')
    await page.getByLabel('Message Operon AI').press('Enter')
    await expect(page.getByRole('log').getByText('Sandbox answer')).toBeVisible()
    await plansShow(page, 'Free trial')
    await expect(plan(page, 'Basic').getByText('Current plan')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Switch Plan' })).toHaveCount(2)
    await expect(async () => {
      await page.goto('/pricing')
      await expect(page.getByRole('meter', { name: 'AI prompts' })).toHaveAttribute('aria-valuenow', '1', { timeout: 2000 })
    }).toPass({ timeout: 20_000 })
  })

  await test.step('past the trial it is paid, and the invoice is listed', async () => {
    await later(request, email, 3.1)
    await plansShow(page, 'Active')
    const invoices = page.getByRole('region', { name: 'Invoices' })
    await expect(invoices.getByRole('row', { name: /\$49 paid/ })).toBeVisible()
  })

  await test.step('switching shows what it costs before it is done', async () => {
    await plan(page, 'Pro').getByRole('button', { name: 'Switch Plan' }).click()
    const dialog = page.getByRole('dialog', { name: 'Switch to Pro' })
    await expect(dialog.getByRole('row', { name: /Due now/ })).toContainText(/\$(4\d|50)/)
    await dialog.getByRole('button', { name: 'Switch Plan' }).click()
    await expect(page.getByText('You are on Pro now')).toBeVisible()
    await expect(plan(page, 'Pro').getByText('Current plan')).toBeVisible()
  })

  await test.step('a card that fails at renewal: the payment is due, the dashboard stays open, a mail says so', async () => {
    const portal = await openPortal(page, 'Pro')
    await changeCard(portal, FAILS_WHEN_CHARGED)
    await portal.close()
    // Over the longest of months.
    await later(request, email, 31)
    await plansShow(page, 'Payment due')
    await expect(page.getByRole('alert')).toContainText('The last payment did not go through')
    await expect(page.getByRole('alert')).toContainText(/Everything works until \w+ \d+, \d{4}\./)
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
    const subjects = async () =>
      (await (await request.get(`/sandbox/api/inbox?to=${encodeURIComponent(email)}`)).json()).messages.map(
        (mail: { subject: string }) => mail.subject,
      )
    await expect.poll(subjects, { timeout: 20_000 }).toContain('Your Operon payment did not go through')
  })

  await test.step('a new card in the portal pays what is open by itself: recovered', async () => {
    await page.goto('/pricing')
    const portal = await openPortal(page, 'Pro')
    await changeCard(portal, GOOD_CARD)
    await portal.close()
    await plansShow(page, 'Active')
    await expect(page.getByText('The last payment did not go through')).toHaveCount(0)
  })

  await test.step('cancelled, taken back, cancelled again', async () => {
    const cancel = async () => {
      await page.getByRole('button', { name: 'Cancel', exact: true }).click()
      await page.getByRole('dialog', { name: 'Cancel Pro?' }).getByRole('button', { name: 'Cancel Pro' }).click()
      await expect(page.getByText('Ends on', { exact: true })).toBeVisible()
    }
    await cancel()
    await page.getByRole('button', { name: 'Keep Pro' }).click()
    await expect(page.getByText('Next billing date', { exact: true })).toBeVisible()
    await cancel()
  })

  await test.step('after the end of the period the gate is closed', async () => {
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
    await later(request, email, 31.5)
    await expect(async () => {
      await page.goto('/dashboard')
      await page.waitForURL('**/pricing', { timeout: 3000 })
    }).toPass({ timeout: 20_000 })
    await expect(page.getByText('Current plan')).toHaveCount(0)
  })
})
