import { expect, faultsOf, test, trialSeller } from './steps.ts'

// Screens say in words that a provider is slow, failing or cut.
test.use({ allowed: [/Failed to load resource/] })

test.describe('a provider that', () => {
  let struck: ReturnType<typeof faultsOf>
  test.beforeEach(async ({ page, request }) => {
    struck = faultsOf(request, await trialSeller(page))
  })
  test.afterEach(() => struck.mend())

  test('cuts its answer: the chat keeps what arrived and says so; asking again mends it', async ({ page }) => {
    await page.goto('/dashboard/operon-ai')
    await struck.order({ kind: 'truncate', times: 1 })
    await page.getByLabel('Message Operon AI').fill('Explain cash flow')
    await page.keyboard.press('Enter')
    const log = page.getByRole('log')
    await expect(log.getByRole('button', { name: 'Try again' })).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText('Failed to send message. Please try again.')).toBeVisible()
    await expect(log.getByText('This answer was cut off. Everything that arrived is shown.')).toBeVisible()
    await page.reload()
    await expect(log.getByText('This answer was cut off. Everything that arrived is shown.')).toBeVisible()
    await log.getByRole('button', { name: 'Try again' }).click()
    await expect(log.getByRole('button', { name: 'Tokens and cost' })).toBeVisible({ timeout: 20_000 })
    await expect(log.getByText('This answer was cut off')).toHaveCount(0)
    await expect(log.getByText('You: Explain cash flow')).toHaveCount(1)
  })

  test('writes slowly: a reload in the middle finds the whole answer; Stop keeps what arrived', async ({ page }) => {
    await page.goto('/dashboard/operon-ai')
    await struck.order({ kind: 'slow_body', ms: 60 })
    await page.getByLabel('Message Operon AI').fill('Explain margins slowly')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\?c=/)
    await page.reload()
    const log = page.getByRole('log')
    await expect(log.getByRole('button', { name: 'Tokens and cost' })).toBeVisible({ timeout: 40_000 })
    await struck.mend()
    await struck.order({ kind: 'slow_body', ms: 20_000 })
    await page.getByLabel('Message Operon AI').fill('And explain it at length once more')
    await page.keyboard.press('Enter')
    // Beyond the words that stand there before the first one arrives.
    await expect(
      log
        .getByRole('article')
        .nth(1)
        .getByText(/^(?!Answer: |Thinking$|The model is slow)./)
        .first(),
    ).toBeVisible()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(log.getByText('You stopped this answer. Everything that arrived is shown.')).toBeVisible()
  })

  test('thinks for long: a reload before the first word finds question and answer', async ({ page }) => {
    for (const [path, label] of [
      ['/dashboard/operon-ai', 'Message Operon AI'],
      ['/dashboard/ai-assistant', 'Message the analyst'],
    ] as const) {
      await struck.order({ kind: 'slow_headers', ms: 5000, times: 1 })
      await page.goto(path)
      await page.getByLabel(label).fill('Think about my margins')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\?c=/)
      const log = page.getByRole('log')
      await expect(log.getByText('Thinking')).toBeVisible()
      await page.reload()
      await expect(log.getByText('Think about my margins')).toBeVisible()
      await expect(log.getByRole('button', { name: 'Tokens and cost' })).toBeVisible({ timeout: 20_000 })
    }
  })

  test('does not begin: Stop before the first word says what it counts as, also with the analyst', async ({ page }) => {
    await struck.order({ kind: 'slow_headers', ms: 20_000 })
    for (const [path, label] of [
      ['/dashboard/operon-ai', 'Message Operon AI'],
      ['/dashboard/ai-assistant', 'Message the analyst'],
    ] as const) {
      await page.goto(path)
      await page.getByLabel(label).fill('Explain margins')
      await page.keyboard.press('Enter')
      await expect(page.getByLabel(label)).toBeDisabled()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('log').getByText('You stopped this before the answer began.')).toBeVisible()
      await expect(page.getByLabel(label)).toBeFocused()
    }
  })

  test('answers, but the answer is lost on the way: nobody is told that nothing was done [spec-77]', async ({ page }) => {
    await page.goto('/dashboard/ai-assistant')
    const input = page.getByLabel('Message the analyst')
    await input.fill('Write an email to thank Anna')
    await input.press('Enter')
    const steps = page.getByRole('region', { name: 'Proposed: Draft an email' })
    await expect(steps.getByText('Waiting for your approval')).toBeVisible({ timeout: 20_000 })
    await page.route('**/functions/v1/approve-actions', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await steps.getByRole('button', { name: 'Approve' }).click()
    await expect(steps.getByText('subject', { exact: true })).toBeVisible({ timeout: 20_000 })
    await expect(steps.getByText(/was not done|not known whether/)).toHaveCount(0)
  })

  test('fails in one lane of the lab: that lane says so, the others answer [spec-70] [spec-73]', async ({ page }) => {
    await page.goto('/dashboard/ai-lab')
    await struck.order({ kind: 'status', status: 400, match: 'claude' })
    await page.getByLabel('Prompt', { exact: true }).fill('One lane fails')
    await page.getByRole('button', { name: 'Compare All' }).click()
    await expect(page.getByRole('article', { name: 'Claude' }).getByText(/^Error: .*\. Please check API key configuration\.$/)).toBeVisible(
      {
        timeout: 30_000,
      },
    )
    await expect(page.getByRole('article', { name: 'Gemini' }).getByText('Answered by Gemini 3.6 Flash')).toBeVisible({ timeout: 30_000 })
    await expect(page.getByRole('button', { name: 'Compare All' })).toBeEnabled()
  })

  test('is slow: one lane of the lab is stopped and the others go on; ads can be stopped [spec-70] [spec-92]', async ({ page }) => {
    await page.goto('/dashboard/ai-lab')
    await struck.order({ kind: 'slow_body', ms: 20_000, match: 'gemini' })
    const held = Promise.withResolvers<void>()
    await page.route('**/functions/v1/ai-compare', (route) => held.promise.then(() => route.continue()))
    await page.getByLabel('Prompt', { exact: true }).fill('Compare paper invoices versus software for a workshop')
    await page.getByRole('button', { name: 'Compare All' }).click()
    const [claude, gemini] = [page.getByRole('article', { name: 'Claude' }), page.getByRole('article', { name: 'Gemini' })]
    // One before the server has said that it began, one in the middle of its answer.
    await claude.getByRole('button', { name: 'Stop Claude' }).click()
    held.resolve()
    await expect(gemini.getByText('Sandbox answer')).toBeVisible()
    await gemini.getByRole('button', { name: 'Stop Gemini' }).click()
    for (const lane of [claude, gemini]) await expect(lane.getByText(/^You stopped this/)).toBeVisible()
    for (const name of ['ChatGPT', 'Perplexity'])
      await expect(page.getByRole('article', { name }).getByText(/\d s$/).nth(1)).toBeVisible({ timeout: 20_000 })
    await expect(page.getByRole('button', { name: 'Compare All' })).toBeEnabled()

    await page.goto('/dashboard/meta-ads')
    await struck.order({ kind: 'slow_headers', ms: 20_000 })
    await page.getByLabel('Product or service details').fill('A tea shop')
    await page.getByRole('button', { name: 'Generate ads' }).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(page.getByText('You stopped this before the ads were written.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Generate ads' })).toBeEnabled()
  })

  test('cuts a piece or names: what arrived is shown and marked [spec-86] [spec-95]', async ({ page }) => {
    await struck.order({ kind: 'truncate' })
    await page.goto('/dashboard/content-creator')
    await page.getByLabel('Topic').fill('a cut piece')
    await page.getByRole('button', { name: 'Generate Content' }).click()
    await expect(page.getByText('Cut off', { exact: true })).toBeVisible({ timeout: 20_000 })
    await page.goto('/dashboard/brand-builder')
    await page.getByLabel('Describe the business').fill('A mobile bike repair service')
    await page.getByRole('button', { name: 'Generate names' }).click()
    await expect(page.getByText('This answer was cut off. The names that arrived are shown.')).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText('Fallback names', { exact: true })).toHaveCount(0)
  })

  test('is down: every screen says it in its own words [spec-73] [spec-93] [spec-96]', async ({ page }) => {
    test.setTimeout(120_000)
    await struck.order({ kind: 'status', status: 400 })

    await page.goto('/dashboard/ai-lab')
    await page.getByLabel('Prompt', { exact: true }).fill('All lanes fail')
    await page.getByRole('button', { name: 'Compare All' }).click()
    await expect(page.getByText('Failed to get responses from AI models')).toBeVisible({ timeout: 30_000 })

    await page.goto('/dashboard/operon-ai-help')
    await page.getByRole('button', { name: /first workflow/ }).click()
    await expect(page.getByText('Failed to get response. Please try again.')).toBeVisible({ timeout: 30_000 })
    await expect(
      page.getByRole('log').getByText('Sorry, I encountered an error. Please try again or contact support if the issue persists.'),
    ).toBeVisible()

    await page.goto('/dashboard/ai-assistant')
    await page.getByRole('button', { name: 'Research my competitors' }).click()
    await expect(
      page.getByRole('log').getByText("I apologize, but I'm experiencing some technical difficulties. Please try your request again."),
    ).toBeVisible({
      timeout: 30_000,
    })

    await page.goto('/dashboard/content-creator')
    await page.getByLabel('Topic').fill('nothing')
    await page.getByRole('button', { name: 'Generate Content' }).click()
    await expect(page.getByText('Failed to generate content. Please try again.').first()).toBeVisible({ timeout: 30_000 })

    await page.goto('/dashboard/brand-builder')
    await page.getByLabel('Describe the business').fill('A tea shop')
    await page.getByRole('button', { name: 'Generate names' }).click()
    await expect(page.getByText('Fallback names', { exact: true })).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText('Failed to generate names. Please try again.').first()).toBeVisible()
    await expect(page.getByRole('list', { name: 'Names' }).getByRole('button')).toHaveCount(8)

    await page.goto('/dashboard/meta-ads')
    await page.getByLabel('Product or service details').fill('A tea shop')
    await page.getByRole('button', { name: 'Generate ads' }).click()
    await expect(page.getByText('Sample data')).toHaveCount(3, { timeout: 30_000 })
    await expect(page.getByText('Failed to generate ads. Please try again.')).toBeVisible()

    await page.getByRole('button', { name: 'Talk to Operon' }).click()
    await page.getByLabel('Message Operon').fill('hello there')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Failed to get response from Operon')).toBeVisible({ timeout: 30_000 })
    await expect(
      page.getByRole('log').getByText("I'm sorry, I'm having trouble connecting right now. Please try again in a moment."),
    ).toBeVisible()
  })

  // One circuit stands before a registry, for everybody: this one opens it.
  test('is a registry that does not answer: the domain is unknown, never guessed [spec-97]', { tag: '@alone' }, async ({ page }) => {
    await page.goto('/dashboard/brand-builder')
    await page.getByLabel('Describe the business').fill(`A tea shop ${Date.now()}`)
    await expect(async () => {
      await page.getByRole('button', { name: 'Generate names' }).click()
      await expect(page.getByText('Sandbox answer')).toBeVisible({ timeout: 5000 })
    }).toPass()
    await struck.order({ provider: 'rdap', kind: 'status', status: 503 })
    await page.getByRole('list', { name: 'Names' }).getByRole('button').first().click()
    await expect(page.getByText('Unknown', { exact: true })).toHaveCount(5, { timeout: 30_000 })
    await expect(page.getByText('The registry answered 503.').first()).toBeVisible()
  })
})

// S14: what a model or a person wrote is text.
const corpus = [
  '<img src=x onerror="window.xss=1">',
  '<script>window.xss=1</script>',
  '<svg/onload=window.xss=1>',
  '[click](javascript:window.xss=1)',
  '![x](https://collector.example/leak?d=1)',
  '<iframe srcdoc="<script>parent.xss=1</script>"></iframe>',
  '<a href="javascript:window.xss=1" onclick="window.xss=1">x</a>',
  '"><details open ontoggle=window.xss=1>',
  '[x](data:text/html,<script>window.xss=1</script>)',
  '<style>@import "https://collector.example/x.css"</style>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.xss=1>',
  '<autolink https://collector.example> <javascript:window.xss=1>',
]
test('hostile text in questions and answers is shown, never run, and fetches nothing', async ({ page }) => {
  const foreign: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('collector.example')) foreign.push(request.url())
  })
  await trialSeller(page, '/dashboard/operon-ai')
  await page.getByLabel('Message Operon AI').fill(corpus.join('\n'))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('log').getByRole('button', { name: 'Copy', exact: true })).toBeVisible({ timeout: 20_000 })
  await page.route('**/rest/v1/ai_messages**', async (route) => {
    const rows = await (await route.fetch()).json()
    await route.fulfill({
      json: rows.map((row: object) => ({ ...row, content: corpus.join('\n\n'), citations: ['javascript:window.xss=1'] })),
    })
  })
  await page.reload()
  const log = page.getByRole('log')
  await expect(log.getByText('[x]').first()).toBeVisible()
  for (const link of await log.getByRole('link').all()) expect(await link.getAttribute('href')).toMatch(/^https?:/)
  expect(await log.locator('img, iframe, script, style, object, embed, form').count()).toBe(0)
  expect(await page.evaluate(() => (window as { xss?: number }).xss)).toBeUndefined()
  expect(foreign).toEqual([])
})
