import { expect, newEmail, password, signUp, test, wake } from './steps.ts'

test('the general portal: Welcome, two tabs, the forgot link, four rules [spec-18] [spec-21] [spec-22]', async ({ page }) => {
  await page.goto('/auth')
  await wake(page)
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible()
  await expect(page.getByRole('link', { name: /Forgot password/ })).toHaveAttribute('href', '/forgot-password')
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  const rules = page.getByRole('list', { name: 'Password requirements' }).getByRole('listitem')
  await expect(rules).toHaveText([
    /^At least 8 characters long/,
    /^At least one uppercase letter/,
    /^At least one lowercase letter/,
    /^At least one special character/,
  ])
  await page.getByLabel('Password', { exact: true }).fill('Aa!')
  await expect(rules.nth(0)).toHaveAttribute('data-holds', 'false')
  await expect(rules.nth(1)).toHaveAttribute('data-holds', 'true')
  await expect(rules.nth(3)).toHaveAttribute('data-holds', 'true')
  // Only the terms disable the button here; a weak password is refused in words.
  const submit = page.getByRole('button', { name: 'Sign Up' })
  await expect(submit).toBeDisabled()
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await expect(submit).toBeEnabled()
  await page.getByLabel('Full name').fill('Mara')
  await page.getByLabel('Email').fill(newEmail())
  await page.getByLabel('Confirm password').fill('Aa!')
  await submit.click()
  await expect(page.getByText('Password Requirements Not Met')).toBeVisible()
})

test('the seller portal: five rules, the match shown live, the button waits for both [spec-19] [spec-21] [spec-22]', async ({ page }) => {
  await page.goto('/auth/seller')
  await wake(page)
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await expect(page.getByRole('list', { name: 'Password requirements' }).getByRole('listitem')).toHaveCount(5)
  const submit = page.getByRole('button', { name: 'Sign Up' })
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill('other')
  await expect(page.getByText("Passwords don't match")).toBeVisible()
  await expect(submit).toBeDisabled()
  await page.getByLabel('Confirm password').fill(password)
  await expect(page.getByText("Passwords don't match")).toBeHidden()
  await expect(submit).toBeEnabled()
})

test('signing up at the buyer portal lands on the buyer dashboard, and the portal leads there again [spec-24] [spec-28] [spec-106]', async ({
  page,
}) => {
  await signUp(page, '/auth/buyer')
  await page.waitForURL('**/buyer-dashboard')
  for (const name of ['Orders', 'Wishlist', 'Reviews', 'Searches'])
    await expect(page.getByText(name, { exact: true }).first()).toBeVisible()
  await page.goto('/auth/buyer')
  await page.waitForURL('**/buyer-dashboard')
  // The role is stored once: another portal does not change it.
  await page.goto('/auth/seller')
  await page.waitForURL('**/buyer-dashboard')
})

test('a new seller is sent to the plans, and signs out everywhere [spec-26] [spec-46] [spec-52]', async ({ page }) => {
  await signUp(page, '/auth/seller')
  await page.waitForURL('**/pricing')
  await expect(page.getByRole('button', { name: 'Start 3-Day Free Trial' })).toHaveCount(3)
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page.getByText('Signed out successfully')).toBeVisible()
  await expect(page).toHaveURL(/\/$/)
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('operon-auth')))).toEqual([])
})

test.describe('refusals', () => {
  test.use({ allowed: [/400|422|406|401/] })
  test('a wrong password: a red alert at the portal, a toast at /auth [spec-18] [spec-19] [spec-20]', async ({ page }) => {
    for (const path of ['/auth/seller', '/auth']) {
      await page.goto(path)
      await wake(page)
      await page.getByLabel('Email').fill('nobody@studio.example')
      await page.getByLabel('Password', { exact: true }).fill('Wrong-pass 1!')
      await page.getByRole('button', { name: 'Sign In', exact: true }).click()
      await expect(page.getByText('Invalid credentials')).toBeVisible()
    }
  })

  test('an address that has an account is told before sign-up [spec-23] [spec-34]', async ({ page, browser }) => {
    const email = await signUp(page, '/auth/buyer')
    await page.waitForURL('**/buyer-dashboard')
    const other = await browser.newPage()
    await signUp(other, '/auth/buyer', email)
    await expect(other.getByText('Email already registered')).toBeVisible()
    await other.close()
  })
})

test('a referral code is kept, explained and gone after sign-in [spec-17]', async ({ page }) => {
  await page.goto('/auth?ref=NOSUCHCODE')
  await expect(page.getByText(/NOSUCHCODE is not known here/)).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('referral_code'))).toBe('NOSUCHCODE')
  await signUp(page, '/auth/buyer')
  await page.waitForURL('**/buyer-dashboard')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('referral_code'))).toBeNull()
})

test('keyboard alone: from the portal to the plans [spec-19]', async ({ page }) => {
  await page.goto('/auth/seller')
  await wake(page)
  await page.getByRole('tab', { name: 'Sign In' }).focus()
  await page.keyboard.press('ArrowRight')
  const type = async (text: string) => {
    await page.keyboard.press('Tab')
    await page.keyboard.type(text)
  }
  await type('Keyboard Person')
  await type(newEmail())
  await type(password)
  await page.keyboard.press('Tab')
  await type(password)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  for (const _ of [1, 2, 3]) await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pricing')
})
