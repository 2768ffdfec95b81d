import { call, enter, expect, later, newEmail, newTrial, test, trialSeller } from './steps.ts'

const asked = 'Find my last three payments and draft a thank-you to each'

test('the last three payments and a thank-you to each: rows as evidence, three drafts, one approval, with the analyst and in the dialog [spec-77]', async ({
  page,
}) => {
  test.slow()
  const email = newEmail()
  const session = await newTrial(page.request, email)
  for (const days of [3.1, 31.5, 31.5]) await later(page.request, email, days)
  const payments = async () => (await call(page.request, session, 'list-payments', { limit: 3 })).payments?.length
  await expect.poll(payments, { timeout: 60_000 }).toBe(3)

  await enter(page, session, '/dashboard/ai-assistant')
  await page.getByLabel('Message the analyst').fill(asked)
  await page.keyboard.press('Enter')
  const rows = page.getByRole('figure', { name: 'List payments' }).getByRole('row')
  await expect(rows).toHaveCount(4, { timeout: 30_000 })
  const card = page.getByRole('region', { name: 'Proposed: Draft an email, 3 times' })
  await expect(card.getByText('Waiting for your approval')).toBeVisible()
  await expect(card.getByText(/^\d\. Drafts an email about “Thank you for the payment of \$/)).toHaveCount(3)
  await card.getByRole('button', { name: 'Approve all 3' }).click()
  await expect(card.getByText('subject', { exact: true })).toHaveCount(3, { timeout: 30_000 })
  await page.reload()
  await expect(card.getByText('subject', { exact: true })).toHaveCount(3)
  await expect(rows).toHaveCount(4)

  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Talk to Operon' }).click()
  const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
  await dialog.getByLabel('Message Operon').fill(asked)
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('figure', { name: 'List payments' }).getByRole('row')).toHaveCount(4, { timeout: 30_000 })
  await expect(dialog.getByRole('button', { name: 'Approve all 3' })).toBeVisible()
})

test('a change that was asked for outright is made at once, and its undo takes it back, also after a reload [spec-77]', async ({
  page,
}) => {
  const email = newEmail()
  const session = await newTrial(page.request, email)
  const unread = async () => (await call(page.request, session, 'list-notifications', {})).unread
  await expect.poll(unread, { timeout: 30_000 }).toBeGreaterThan(1)
  const before = await unread()
  await enter(page, session, '/dashboard/ai-assistant')
  await page.getByLabel('Message the analyst').fill('Mark all my notifications as read')
  await page.keyboard.press('Enter')
  const card = page.getByRole('region', { name: 'Change: Mark notifications as read' })
  await expect(card.getByText('Done', { exact: true })).toBeVisible({ timeout: 20_000 })
  await expect(card.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
  // Another notice may have come meanwhile.
  expect(await unread()).toBeLessThan(before)
  await page.reload()
  await card.getByRole('button', { name: 'Undo' }).click()
  await expect(card.getByText('Undone', { exact: true })).toBeVisible()
  await expect(card.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  expect(await unread()).toBeGreaterThanOrEqual(before)
})

test('each chat looks up the own data with its rows, and one search finds what was said in any of them', async ({ page }) => {
  await trialSeller(page)
  const word = `zebra${Date.now()}`
  for (const [path, field] of [
    ['/dashboard/operon-ai', 'Message Operon AI'],
    ['/dashboard/ai-lab?tab=chat', 'Message ChatGPT'],
    ['/dashboard/ai-assistant', 'Message the analyst'],
  ] as const) {
    await page.goto(path)
    await page.getByLabel(field).fill(`Count my contacts, ${word}`)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('figure', { name: 'Count contacts' })).toBeVisible({ timeout: 20_000 })
  }
  await page.getByRole('button', { name: 'Talk to Operon' }).click()
  const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
  await dialog.getByLabel('Message Operon').fill(`Count my contacts, ${word}`)
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('figure', { name: 'Count contacts' })).toBeVisible({ timeout: 20_000 })
  await page.goto('/dashboard/operon-ai')
  const list = page.getByRole('complementary', { name: 'Conversations' })
  await list.getByLabel('Search conversations').fill(word)
  await expect(list.getByRole('listitem')).toHaveCount(4)
})

test('what is remembered is told, forgotten again, and shown in the settings with its switch', async ({ page }) => {
  await trialSeller(page)
  const words = `our mascot is number ${Date.now()}`
  await page.goto('/dashboard/operon-ai')
  await page.getByLabel('Message Operon AI').fill(`Please remember that ${words}`)
  await page.keyboard.press('Enter')
  await expect(page.getByText(`Remembered: “${words}”`)).toBeVisible({ timeout: 20_000 })
  await page.getByRole('link', { name: 'See all memories' }).click()
  const panel = page.getByRole('tabpanel')
  await expect(panel.getByText(words)).toBeVisible()
  await panel.getByRole('button', { name: `Edit “${words}”` }).click()
  await panel.getByLabel('Memory', { exact: true }).fill(`${words} and blue`)
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel.getByText(`${words} and blue`)).toBeVisible()
  await panel.getByRole('button', { name: `Delete “${words} and blue”` }).click()
  await expect(panel.getByText(words)).toHaveCount(0)
  const keeps = panel.getByRole('switch', { name: 'Keep memories' })
  await keeps.click()
  await expect(keeps).not.toBeChecked()
  await keeps.click()
  await expect(keeps).toBeChecked()
})
