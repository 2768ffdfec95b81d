import { expect, later, payAtCheckout, signUp, test } from './steps.ts'

test('a month becomes a year, less what is unused, and a month again when the year ends [spec-43]', async ({
  page,
  context,
  request,
}, info) => {
  test.setTimeout(120_000)
  const plan = (name: string) => page.getByRole('article', { name })
  const shot = (name: string) => page.screenshot({ path: info.outputPath(`${name}.png`), fullPage: true })
  const email = await signUp(page, '/auth/seller')
  await page.waitForURL('**/pricing')
  await page.getByRole('button', { name: /^Yearly/ }).click()
  await expect(page).toHaveURL(/billing=year/)
  await expect(plan('Basic')).toContainText('$39 per month')
  await expect(plan('Basic')).toContainText('$468 a year, paid at once')
  await shot('yearly')
  await page.getByRole('button', { name: 'Monthly' }).click()
  const opened = context.waitForEvent('page')
  await plan('Basic').getByRole('button', { name: 'Start 3-Day Free Trial' }).click()
  const checkout = await opened
  await payAtCheckout(checkout)
  await checkout.close()
  await later(request, email, 3.1)
  await expect(async () => {
    await page.goto('/pricing')
    await expect(page.getByText('Monthly, $49')).toBeVisible({ timeout: 3000 })
    await expect(page.getByText('Active', { exact: true })).toBeVisible({ timeout: 3000 })
  }).toPass({ timeout: 20_000 })

  await page.getByRole('button', { name: /^Yearly/ }).click()
  await plan('Basic').getByRole('button', { name: 'Switch to yearly' }).click()
  const dialog = page.getByRole('dialog', { name: 'Switch to Basic, billed yearly' })
  await expect(dialog.getByRole('row', { name: 'Unused part of your monthly plan' })).toContainText('-$4')
  await expect(dialog.getByRole('row', { name: /Due now/ })).toContainText(/\$4[12]\d\./)
  await shot('switch')
  await dialog.getByRole('button', { name: 'Switch Plan' }).click()
  await expect(page.getByText('Yearly, $468')).toBeVisible()
  await expect(page.getByText(/Allowances start again on/)).toBeVisible()

  await page.getByRole('button', { name: 'Monthly' }).click()
  await plan('Basic').getByRole('button', { name: 'Switch to monthly' }).click()
  const back = page.getByRole('dialog', { name: 'Switch to Basic' })
  await expect(back.getByRole('row', { name: /Nothing due today/ })).toContainText('$49')
  await back.getByRole('button', { name: 'Switch Plan' }).click()
  await expect(plan('Basic').getByRole('button', { name: /^Starts / })).toBeDisabled()
  await shot('planned')
  await page.setViewportSize({ width: 390, height: 844 })
  await shot('planned-phone')
  await page.getByRole('button', { name: /^Yearly/ }).click()
  await plan('Basic').getByRole('button', { name: 'Keep Basic' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Switch Plan' }).click()
  await expect(plan('Basic').getByRole('button', { name: 'Manage Subscription' })).toBeVisible()
})
