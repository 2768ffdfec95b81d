import { expect, faultsOf, test, trialSeller } from './steps.ts'

// People expect this of a conversation: reading while it is written, coming back, finding the way without a mouse.
test.use({ allowed: [/Failed to load resource/] })

const slow = { kind: 'slow_body', ms: 20_000, times: 1 }

test('a longer answer is read from its top, with its question above it; a button leads to its end', async ({ page }) => {
  await trialSeller(page, '/dashboard/operon-ai')
  const log = page.getByRole('region', { name: 'Conversation with Operon AI' })
  const left = () => log.evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight))
  const above = async (question: string) => {
    const [box, said] = [await log.boundingBox(), await log.getByText(`You: ${question}`).boundingBox()]
    return Math.round(said!.y - box!.y)
  }
  for (const [at, question] of ['Write a blog post about tea', 'Write a blog post about bread'].entries()) {
    await page.getByLabel('Message Operon AI').fill(question)
    await page.keyboard.press('Enter')
    await expect(log.getByRole('button', { name: 'Tokens and cost' })).toHaveCount(at + 1)
    await expect.poll(() => above(question)).toBeLessThan(40)
    expect(await above(question)).toBeGreaterThanOrEqual(0)
    expect(await left()).toBeGreaterThan(100)
  }
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await expect.poll(left).toBeLessThan(10)
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toHaveCount(0)
})

test('headings of an answer bring no second h1 and no ids into the page; code is copied as written', async ({ page }) => {
  await trialSeller(page, '/dashboard/operon-ai')
  await page.getByLabel('Message Operon AI').fill('Write a blog post about local bookkeeping')
  await page.keyboard.press('Enter')
  const log = page.getByRole('log')
  await expect(log.getByRole('button', { name: 'Tokens and cost' })).toBeVisible()
  await expect(log.getByRole('heading', { level: 2, name: /a practical guide/ })).toBeVisible()
  await expect(page.locator('h1')).toHaveCount(1)
  await expect(log.locator('[id]')).toHaveCount(0)
  await page.getByLabel('Message Operon AI').fill('A JavaScript function for my website form')
  await page.keyboard.press('Enter')
  // Whole: code can be copied while it is still being written.
  await expect(log.getByRole('button', { name: 'Tokens and cost' })).toHaveCount(2)
  await log.getByRole('button', { name: 'Copy code' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(/^\/\/ Adds a quote request[\s\S]+\n {2}return response\.json\(\)\n\}$/)
})

test('what is typed and not sent survives a look at another page; Back leads to the conversation before', async ({ page }) => {
  await trialSeller(page, '/dashboard/operon-ai')
  const input = page.getByLabel('Message Operon AI')
  const said = `Hello ${Date.now()}`
  await input.fill(said)
  await input.press('Enter')
  await expect(page).toHaveURL(/\?c=/)
  await expect(page.getByRole('log').getByText('Sandbox answer')).toBeVisible()
  await page.keyboard.press('Control+Shift+O')
  await expect(page.getByText('What are you working on?')).toBeVisible()
  await expect(input).toBeFocused()
  await input.fill('half a thought')
  await page.goBack()
  await expect(page.getByRole('log').getByText(`You: ${said}`)).toBeVisible()
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await expect(page.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
  await page.getByRole('link', { name: 'Operon AI', exact: true }).click()
  await expect(input).toHaveValue('half a thought')
})

test('an answer that was stopped is neither read aloud nor called a success [spec-63] [spec-86]', async ({ page, request }) => {
  const faults = faultsOf(request, await trialSeller(page))
  await faults.order(slow)
  await page.goto('/dashboard/content-creator')
  await page.getByLabel('Topic').fill('a slow piece')
  await page.getByRole('button', { name: 'Generate Content' }).click()
  await expect(page.getByText(/^\d+ words$/)).toBeVisible()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.getByText('You stopped this answer. Everything that arrived is shown.')).toBeVisible()
  await expect(page.getByText('Content generated successfully!')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Download' })).toBeEnabled()
})

test('a browser without speech says so and goes on with text [spec-63] [spec-140]', async ({ page }) => {
  await page.addInitScript(() => {
    Object.assign(window, { SpeechRecognition: undefined, webkitSpeechRecognition: undefined })
    Reflect.deleteProperty(window, 'speechSynthesis')
  })
  await trialSeller(page)
  await page.getByRole('button', { name: 'Talk to Operon' }).click()
  const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
  await dialog.getByRole('button', { name: 'Speak instead of typing' }).click()
  const message = page.getByText('Speech recognition not supported in this browser.')
  await expect(message).toBeVisible()
  // Said in a row of its own above the field: nothing is covered, the dialog's buttons stay free.
  const { y, height } = (await message.boundingBox())!
  expect(y + height).toBeLessThan((await dialog.getByLabel('Message Operon').boundingBox())!.y)
  await expect(dialog.getByRole('button', { name: /Speech output/ })).toHaveText(/Off/)
  await dialog.getByRole('button', { name: /Speech output/ }).click()
  await expect(page.getByText('This browser cannot read aloud')).toBeVisible()
  await dialog.getByLabel('Message Operon').fill('hello')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Sandbox answer')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Talk to Operon' })).toBeFocused()
})

test('a used-up plan: the answer does not come, nothing is asked again in vain, and the way to more is there', async ({ page }) => {
  await trialSeller(page)
  const used = 'You have used all AI prompts of your plan this month. Upgrade or buy more on the plan page to continue.'
  await page.route(/functions\/v1\/(ai-chat|ai-compare|generate-ads)$/, (route) =>
    route.fulfill({
      status: 402,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'limit_prompts', detail: used, status: 402 }),
    }),
  )
  await page.goto('/dashboard/operon-ai')
  await page.getByLabel('Message Operon AI').fill('Is there more?')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('log').getByText(used)).toBeVisible()
  await expect(page.getByRole('log').getByRole('link', { name: 'See plans' })).toHaveAttribute('href', '/pricing')
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
  await page.goto('/dashboard/ai-lab')
  await page.getByLabel('Prompt', { exact: true }).fill('Four more')
  await page.getByRole('button', { name: 'Compare All' }).click()
  await expect(page.getByRole('main').getByRole('link', { name: 'See plans' })).toBeVisible()
  await page.goto('/dashboard/meta-ads')
  await page.getByLabel('Product or service details').fill('One more')
  await page.getByRole('button', { name: 'Generate ads' }).click()
  await expect(page.getByRole('main').getByRole('link', { name: 'See plans' })).toBeVisible()
})
