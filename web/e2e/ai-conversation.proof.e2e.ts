import type { Locator } from '@playwright/test'
import { expect, newTrialSeller, test, trialSeller } from './steps.ts'

// Conversations keep what was said, also under a hurried hand.

const input = 'Message Operon AI'

test('an answer written anew keeps the turns after the first one; both versions are read, also after a reload [spec-72]', async ({
  page,
}) => {
  await trialSeller(page, '/dashboard/operon-ai')
  const log = page.getByRole('log')
  for (const [at, said] of ['Name three teas', 'Which is the cheapest?'].entries()) {
    await page.getByLabel(input).fill(said)
    await page.keyboard.press('Enter')
    await expect(log.getByRole('button', { name: 'Tokens and cost' })).toHaveCount(at + 1)
  }
  await log.getByRole('button', { name: 'Regenerate' }).first().click()
  const versions = log.getByRole('group', { name: 'Versions' })
  await expect(versions).toContainText('2/2')
  await expect(log.getByText('You: Which is the cheapest?')).toHaveCount(0)
  await expect(log.getByRole('button', { name: 'Tokens and cost' })).toHaveCount(1)
  await versions.getByRole('button', { name: 'Earlier version' }).click()
  await expect(versions).toContainText('1/2')
  await expect(log.getByText('You: Which is the cheapest?')).toBeVisible()
  const kept = page.waitForResponse((response) => response.url().includes('ai_conversations') && response.request().method() === 'PATCH')
  await versions.getByRole('button', { name: 'Later version' }).click()
  await kept
  await page.reload()
  await expect(versions).toContainText('2/2')
  await expect(log.getByText('You: Which is the cheapest?')).toHaveCount(0)
})

test('a double click on Send sends once and stops nothing', async ({ page }) => {
  await trialSeller(page)
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/functions/v1/ai-chat')) asked++
  })
  await page.goto('/dashboard/operon-ai')
  const log = page.getByRole('log')
  // Of an empty field nothing is sent, and it keeps the focus.
  await page.getByLabel(input).press('Enter')
  await expect(page.getByLabel(input)).toBeFocused()
  expect(asked).toBe(0)
  // The first message moves the field; at the second one Stop takes Send's place under the pointer.
  for (const [at, said] of ['Plan next week', 'And the week after'].entries()) {
    await page.getByLabel(input).fill(said)
    await page.getByRole('button', { name: 'Send', exact: true }).dblclick()
    await expect(log.getByRole('button', { name: 'Tokens and cost' })).toHaveCount(at + 1)
    await expect(log.getByText(`You: ${said}`)).toHaveCount(1)
    await expect(log.getByText(/You stopped this/)).toHaveCount(0)
    expect(asked).toBe(at + 1)
  }
})

test('an over-long message is refused in words, with its length and the limit, before it is sent', async ({ page }) => {
  await trialSeller(page, '/dashboard/ai-assistant')
  // Of words, since one word as long as that takes the browser seconds to lay out.
  const words = (length: number) => `${'bread '.repeat(length / 6 + 1).slice(0, length - 1)}.`
  await page.getByLabel('Message the analyst').fill(words(50_310))
  await expect(page.getByText('Your message has 50,310 characters; at most 50,000 can be sent. Shorten it by 310.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled()
  await page.getByLabel('Message the analyst').fill(words(49_000))
  await expect(page.getByText('49,000 of 50,000 characters')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send' })).toBeEnabled()
})

test('what the plan takes at once is said before the field’s own limit', async ({ page }) => {
  await trialSeller(page)
  await page.route('**/functions/v1/check-subscription', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), max_characters: 20_000 } })
  })
  await page.goto('/dashboard/ai-lab?tab=chat')
  await page.getByLabel('Message ChatGPT').fill(`x${'bread '.repeat(3500)}`.slice(0, 20_310))
  const words = 'Your message has 20,310 characters; your plan takes up to 20,000 at once. Shorten it by 310, or upgrade on the plan page.'
  await expect(page.getByText(words)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled()
})

test('the lab goes on with the model that a conversation was with', async ({ page }) => {
  await trialSeller(page, '/dashboard/ai-lab?tab=chat')
  await page.getByRole('combobox', { name: 'Model' }).selectOption({ label: 'Gemini' })
  await page.getByLabel('Message Gemini').fill('Which tea goes with rye bread?')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/c=/)
  await expect(page.getByRole('log').getByRole('button', { name: 'Tokens and cost' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('log').getByText('You: Which tea goes with rye bread?')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Model' })).toHaveValue('gemini-1.5-flash')
  await expect(page.getByLabel('Message Gemini')).toBeVisible()
})

test('the dialog keeps its conversation while it is closed, and the answer that is being written [spec-62]', async ({ page }) => {
  await trialSeller(page)
  await page.getByRole('button', { name: 'Talk to Operon' }).click()
  const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
  const held = Promise.withResolvers<void>()
  await page.route('**/functions/v1/ai-chat', (route) => held.promise.then(() => route.continue()))
  await dialog.getByLabel('Message Operon').fill('Explain margins')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Thinking').first()).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
  held.resolve()
  await page.getByRole('button', { name: 'Talk to Operon' }).click()
  await expect(dialog.getByText('You: Explain margins')).toBeVisible()
  await expect(dialog.getByText('Sandbox answer')).toBeVisible()
  await dialog.getByRole('button', { name: 'New conversation' }).click()
  await expect(dialog.getByText('You: Explain margins')).toHaveCount(0)
  await expect(dialog.getByRole('log').getByText(/You are on your dashboard/)).toBeVisible()
})

test('a navigation is stopped within its second, by hand, by Escape and by another page, and a question beside it is answered [spec-64]', async ({
  page,
}) => {
  await trialSeller(page)
  await page.clock.install()
  await page.getByRole('button', { name: 'Talk to Operon' }).click()
  const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
  const say = async (text: string) => {
    await dialog.getByLabel('Message Operon').fill(text)
    await page.keyboard.press('Enter')
  }
  // The page's time stands still but for these steps, so that no slow machine lets the second pass.
  const soon = (what: Locator, count = 1) =>
    expect(async () => {
      await page.clock.runFor(50)
      await expect(what).toHaveCount(count, { timeout: 100 })
    }).toPass({ timeout: 20_000 })
  const opening = dialog.getByText('Opening AI Assistant Lab')
  const log = dialog.getByRole('log')
  await page.clock.pauseAt(Date.now() + 60_000)
  await say('please open the ai lab')
  await soon(opening)
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
  await soon(log.getByText('Stopped. You are still on this page.'))
  await say('go to the ai lab')
  await soon(opening)
  await page.keyboard.press('Escape')
  await soon(log.getByText('Stopped. You are still on this page.'), 2)
  await page.clock.runFor(3000)
  await expect(page).toHaveURL(/\/dashboard$/)
  // Another page is opened by hand within the second: the person stays there, and the assistant says so.
  await say('go to the ai lab')
  await soon(opening)
  await page.getByRole('navigation').getByRole('link', { name: 'Brand Builder' }).click()
  await soon(log.getByText('You opened another page, so AI Assistant Lab was not opened.'))
  await page.clock.runFor(3000)
  await expect(page).toHaveURL(/\/brand-builder$/)
  await page.clock.resume()
  await say('Open the ai lab. Which model should I try first?')
  await expect(dialog.getByText('Sandbox answer')).toBeVisible()
  await page.waitForURL('**/dashboard/ai-lab')
})

test('a search finds what was said with any assistant and opens it there, at that message', async ({ page }) => {
  await newTrialSeller(page, '/dashboard/operon-ai-help')
  const word = `okapi${Date.now()}`
  await page.getByLabel('Your question').fill(`Where do I see ${word} orders?`)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('log').getByRole('button', { name: 'Tokens and cost' })).toBeVisible()
  await page.goto('/dashboard/operon-ai')
  const list = page.getByRole('complementary', { name: 'Conversations' })
  await list.getByLabel('Search conversations').fill(word.slice(0, 9))
  const found = list.getByRole('list', { name: 'Found' }).getByRole('listitem')
  await expect(found).toHaveCount(1)
  await expect(found).toContainText('Help')
  await found.getByRole('button').first().click()
  await expect(page).toHaveURL(/operon-ai-help\?c=.*&m=/)
  await expect(page.getByRole('log').getByText(`You: Where do I see ${word} orders?`)).toBeVisible()
})

test('a message about a failure stands beside what was said, never over it', async ({ page, allowed }) => {
  allowed.push(/Failed to load resource/)
  await page.setViewportSize({ width: 1280, height: 800 })
  await trialSeller(page, '/dashboard/operon-ai')
  await page.route('**/functions/v1/ai-chat', (route) =>
    route.fulfill({ status: 502, json: { code: 'upstream_failed', detail: 'No answer.' } }),
  )
  await page.getByLabel(input).fill('A question that stands at the right edge and is long enough to reach under a toast at the top right')
  await page.keyboard.press('Enter')
  const toast = page.getByRole('alert').filter({ hasText: 'Failed to send message. Please try again.' })
  const [told, said] = [await toast.boundingBox(), await page.getByRole('log').getByText('A question that stands').boundingBox()]
  const apart =
    told!.y >= said!.y + said!.height ||
    told!.y + told!.height <= said!.y ||
    told!.x >= said!.x + said!.width ||
    told!.x + told!.width <= said!.x
  expect(apart).toBe(true)
})

test('a checklist of a model is drawn as one', async ({ page }) => {
  await trialSeller(page, '/dashboard/operon-ai')
  await page.getByLabel(input).fill('Plan next week')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('log').getByRole('button', { name: 'Tokens and cost' })).toBeVisible()
  await page.route('**/rest/v1/ai_messages**', async (route) => {
    const rows = await (await route.fetch()).json()
    await route.fulfill({ json: rows.map((row: object) => ({ ...row, content: '- [ ] Order flour\n- [x] Call Ana' })) })
  })
  await page.reload()
  await expect(page.getByRole('log').getByRole('listitem').nth(0)).toHaveText('To do: Order flour')
  await expect(page.getByRole('log').getByRole('listitem').nth(1)).toHaveText('Done: Call Ana')
  await expect(page.getByText('[not shown]')).toHaveCount(0)
})
