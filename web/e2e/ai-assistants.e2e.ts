import { expect, test, trialSeller } from './steps.ts'

test.describe('the product-named chat', () => {
  test('streams an answer, keeps it through a reload, shows tokens and cost, and edits and resends [spec-76] [spec-72]', async ({
    page,
  }) => {
    await trialSeller(page, '/dashboard/operon-ai')
    const input = page.getByLabel('Message Operon AI')
    await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled()
    await input.fill('   ')
    await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled()
    await input.fill('Plan next week')
    await input.press('Shift+Enter')
    await expect(input).toHaveValue('Plan next week\n')
    await input.press('Enter')
    const log = page.getByRole('log')
    await expect(log.getByText('Sandbox answer')).toBeVisible()
    await expect(input).toBeFocused()
    await expect(page).toHaveURL(/\?c=/)
    await log.getByRole('button', { name: 'Tokens and cost' }).click()
    await expect(log.getByText(/\d+ in · \d+ out · /)).toBeVisible()
    await page.reload()
    await expect(log.getByText('Plan next week').first()).toBeVisible()
    await expect(log.getByText('Sandbox answer')).toBeVisible()
    await log.getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByLabel('Edit your message').fill('Plan the next month')
    await page.getByRole('button', { name: 'Resend' }).click()
    await expect(log.getByText('You: Plan the next month')).toBeVisible()
    await expect(log.getByText('Sandbox answer')).toHaveCount(1)
    await page.reload()
    await expect(log.getByText('You: Plan the next month')).toBeVisible()
    await expect(log.getByText('You: Plan next week')).toHaveCount(0)
  })

  test('conversations are found, renamed and deleted with undo', async ({ page }) => {
    await trialSeller(page, '/dashboard/operon-ai')
    const title = `Rename me ${Date.now()}`
    await page.getByLabel('Message Operon AI').fill(title)
    await page.keyboard.press('Enter')
    const list = page.getByRole('complementary', { name: 'Conversations' })
    await list.getByRole('button', { name: `Options of ${title}` }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('Name of the conversation').fill(`${title} now`)
    await page.keyboard.press('Enter')
    await expect(list.getByRole('button', { name: `Options of ${title} now` })).toBeVisible()
    const searched = page.waitForResponse((response) => response.url().endsWith('/search-conversations') && response.ok())
    await list.getByLabel('Search conversations').fill(`${title} now`)
    await searched
    await expect(list.getByRole('listitem')).toHaveCount(1)
    await list.getByRole('button', { name: `Options of ${title} now` }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expect(list.getByRole('listitem')).toHaveCount(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(list.getByRole('listitem')).toHaveCount(1)
  })

  test('a saved prompt is used from the composer', async ({ page }) => {
    await trialSeller(page, '/dashboard/operon-ai')
    const name = `Weekly ${Date.now()}`
    await page.getByLabel('Message Operon AI').fill('Summarise my week in five lines')
    await page.getByRole('button', { name: 'Prompt library' }).click()
    const library = page.getByRole('dialog', { name: 'Prompt library' })
    await library.getByRole('button', { name: 'Save what I typed' }).click()
    await library.getByLabel('Name').fill(name)
    await library.getByRole('button', { name: 'Save prompt' }).click()
    await expect(library.getByText(name)).toBeVisible()
    await page.keyboard.press('Escape')
    await page.getByLabel('Message Operon AI').fill('')
    await page.getByRole('button', { name: 'Prompt library' }).click()
    await library.getByRole('button', { name: new RegExp(`^${name}`) }).click()
    await expect(page.getByLabel('Message Operon AI')).toHaveValue('Summarise my week in five lines')
  })
})

test.describe('the lab', () => {
  test('four models answer at once; copy, vote, continue the chat, figures and log [spec-70] [spec-71] [spec-72]', async ({ page }) => {
    await trialSeller(page, '/dashboard/ai-lab')
    const all = page.getByRole('button', { name: 'Compare All' })
    await expect(all).toBeDisabled()
    const prompt = 'Compare the two ways to price a subscription box for tea lovers'
    await page.getByLabel('Prompt', { exact: true }).fill(prompt)
    await all.click()
    await expect(page.getByText('All AI models have responded!')).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText(prompt.slice(0, 50), { exact: true })).toBeVisible()
    for (const name of ['ChatGPT', 'Claude', 'Gemini', 'Perplexity']) {
      const card = page.getByRole('article', { name })
      await expect(card.getByText('Sandbox answer')).toBeVisible()
      await expect(card.getByText(/\d s$/).first()).toBeVisible()
    }
    // One whose own model is gone says which one answered.
    await expect(page.getByRole('article', { name: 'Gemini' }).getByText('Answered by Gemini 3.6 Flash')).toBeVisible()
    const claude = page.getByRole('article', { name: 'Claude' })
    await claude.getByRole('button', { name: 'Copy' }).click()
    await expect(page.getByText('Claude response copied to clipboard!')).toBeVisible()
    await claude.getByRole('button', { name: 'Vote for Claude' }).click()
    await expect(claude.getByText('Your pick')).toBeVisible()
    const activity = page.locator('section', { has: page.getByRole('heading', { name: 'Activity Log' }) }).last()
    const compared = activity.getByRole('listitem').filter({ hasText: `Compared: ${prompt}`.slice(0, 50) })
    await expect(compared.first()).toContainText('ChatGPT, Claude, Gemini, Perplexity')
    const hours = page.locator('dl > div', { hasText: 'Hours Saved' })
    await expect(hours.getByText('Estimate')).toBeVisible()
    // Both are read anew after an answer.
    await expect(async () => {
      const messages = Number(await page.locator('dl > div', { hasText: 'Messages' }).locator('dd').textContent({ timeout: 1000 }))
      expect(Number.parseInt((await hours.locator('dd').textContent({ timeout: 1000 }))!, 10)).toBe(Math.floor(messages / 2))
    }).toPass({ timeout: 10_000 })
    await claude.getByRole('button', { name: 'Continue Chat' }).click()
    const log = page.getByRole('log')
    await expect(log.getByText(prompt).first()).toBeVisible()
    await page.getByLabel('Message Claude').fill('Make it shorter')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/c=/)
    await expect(log.getByRole('article')).toHaveCount(2)
    await expect(log.getByRole('button', { name: 'Regenerate' })).toBeVisible()
    await page.reload()
    await expect(log.getByText(prompt).first()).toBeVisible()
    await expect(log.getByText('Make it shorter').first()).toBeVisible()
    await page.getByRole('tab', { name: 'Compare Models' }).click()
    await page
      .getByRole('button', { name: /^Compare the two ways/ })
      .first()
      .click()
    await expect(page.getByRole('article', { name: 'Claude' }).getByText('Your pick')).toBeVisible()
    await expect(page.getByRole('article', { name: 'Claude' }).getByText('Sandbox answer')).toBeVisible()
    // The line of activity opens what it speaks of.
    await page.goto('/dashboard')
    await page.getByRole('link', { name: /^Compared: Compare the two ways/ }).click()
    await expect(page).toHaveURL(/ai-lab\?comparison=/)
    await expect(page.getByRole('article', { name: 'Claude' }).getByText('Your pick')).toBeVisible()
  })
})

test('help: five quick questions; an answer cites the article it is from [spec-75]', async ({ page }) => {
  await trialSeller(page, '/dashboard/operon-ai-help')
  for (const words of [
    'create my first workflow',
    'difference between the AI models',
    'connect my ads account',
    'set up voice agents',
    'integrations are available',
  ])
    await expect(page.getByRole('button', { name: new RegExp(words) })).toBeVisible()
  await page.getByRole('button', { name: /difference between the AI models/ }).click()
  await page.getByRole('log').getByRole('button', { name: 'Which AI model for what' }).click()
  const reader = page.getByRole('dialog', { name: 'Which AI model for what' })
  await expect(reader.getByText('searches the web and gives its sources')).toBeVisible()
})

test.describe('the analyst', () => {
  test('categories and quick prompts stand only beside the welcome; model shown; a proposed action runs after approval [spec-76] [spec-77]', async ({
    page,
  }) => {
    await trialSeller(page, '/dashboard/ai-assistant')
    const quick = page.getByRole('list', { name: 'Quick prompts' })
    await expect(quick.getByRole('button')).toHaveCount(8)
    const held = Promise.withResolvers<void>()
    await page.route('**/functions/v1/ai-orchestrator', (route) => held.promise.then(() => route.continue()))
    await quick.getByRole('button', { name: 'Research my competitors' }).click()
    await expect(page.getByLabel('Message the analyst')).toBeDisabled()
    await expect(quick).toHaveCount(0)
    held.resolve()
    const log = page.getByRole('log')
    await expect(log.getByText('GPT-5 mini')).toBeVisible()
    const card = page.getByRole('region', { name: /^Proposed: / })
    await expect(card.getByText(/names its sources\. Uses 1 prompt\.$/)).toBeVisible()
    await card.getByRole('button', { name: 'Approve' }).click()
    await expect(card.getByText('Done', { exact: true })).toBeVisible({ timeout: 20_000 })
    await page.reload()
    await expect(card.getByText('Done', { exact: true })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Recent activity' })).toBeVisible()
    // Below a comparison stand the models that were asked.
    for (const entry of await page.locator('section', { hasText: 'Recent activity' }).last().getByRole('listitem').allTextContents())
      expect(entry.replace(/(ChatGPT, Claude, Gemini, Perplexity)?(completed|cut|stopped|failed).*$/, '').length).toBeLessThanOrEqual(50)
  })

  test('what it looked up stands below as rows; a draft is edited, approved once, and still there after a reload [spec-77]', async ({
    page,
  }) => {
    await trialSeller(page, '/dashboard/ai-assistant')
    const input = page.getByLabel('Message the analyst')
    await input.fill('List my notifications')
    await input.press('Enter')
    await expect(page.getByRole('figure', { name: 'List notifications' })).toBeVisible({ timeout: 20_000 })
    await input.fill('Write an email to thank Anna')
    await input.press('Enter')
    const card = page.getByRole('region', { name: 'Proposed: Draft an email' })
    await expect(card.getByText('Waiting for your approval')).toBeVisible({ timeout: 20_000 })
    await card.getByRole('button', { name: 'Edit step 1' }).click()
    await card.getByLabel('About').fill('thank Anna for the flowers')
    await card.getByRole('button', { name: 'Save' }).click()
    await expect(card.getByText(/thank Anna for the flowers/)).toBeVisible()
    await card.getByRole('button', { name: /^Approve/ }).click()
    await expect(card.getByText('subject', { exact: true })).toBeVisible({ timeout: 20_000 })
    await page.reload()
    await expect(card.getByText('subject', { exact: true })).toBeVisible()
    await expect(page.getByRole('figure', { name: 'List notifications' })).toBeVisible()
  })

  test('a dismissed proposal can be taken back; a blank message is not sent', async ({ page }) => {
    await trialSeller(page, '/dashboard/ai-assistant')
    await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled()
    await page.getByRole('button', { name: 'Research my competitors' }).click()
    const card = page.getByRole('region', { name: /^Proposed: / })
    await card.getByRole('button', { name: 'Dismiss' }).click()
    await expect(card).toHaveCount(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(card).toBeVisible()
    await card.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText('Proposal dismissed').last()).toBeVisible()
    await page.reload()
    await expect(page.getByRole('log').getByText(/Nothing happens until you approve/)).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expect(card).toHaveCount(0)
  })
})

test.describe('the assistant dialog', () => {
  test('greets by page, answers, leads to a page a second after the reply [spec-62] [spec-64]', async ({ page }) => {
    await trialSeller(page)
    await page.getByRole('button', { name: 'Talk to Operon' }).click()
    const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
    await expect(dialog.getByText(/You are on your dashboard/)).toBeVisible()
    await expect(dialog.getByLabel('Message Operon')).toBeFocused()
    await dialog.getByLabel('Message Operon').fill('Suggest a business name for my flower shop')
    await page.keyboard.press('Enter')
    await expect(dialog.getByText('Sandbox answer')).toBeVisible()
    await dialog.getByLabel('Message Operon').fill('please go to the ai lab')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('log').getByText('Taking you to AI Assistant Lab.')).toBeVisible()
    await page.waitForURL('**/dashboard/ai-lab')
    await expect(page.getByRole('heading', { name: 'AI Assistant Lab', level: 1 })).toBeVisible()
    await expect(dialog.locator(':focus')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await page.getByRole('button', { name: 'Talk to Operon' }).click()
    await expect(dialog.getByRole('log').getByText(/You are in the AI Lab/)).toBeVisible()
  })

  test('says plainly what is not there yet, and stays [spec-65] [spec-66] [spec-67] [spec-68]', async ({ page }) => {
    await trialSeller(page)
    await page.getByRole('button', { name: 'Talk to Operon' }).click()
    const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
    for (const [said, answer] of [
      ['analyze meta ads', "I couldn't access your Meta Ads data. Please make sure your Meta Ads account is connected"],
      ['create voice agent', 'I cannot create voice agents yet, so none was created.'],
      ['send email to my list', 'I cannot send email yet, so nothing was drafted or sent.'],
      ['open the workflows', 'AI Workflows is not available yet'],
    ] as const) {
      await expect(dialog.getByLabel('Message Operon')).toBeFocused()
      await page.keyboard.insertText(said)
      await page.keyboard.press('Enter')
      await expect(dialog.getByRole('log').getByText(answer)).toBeVisible()
    }
    await expect(page).toHaveURL(/\/dashboard$/)
  })

  test('an image that is asked for in words is made at once and shown [spec-65]', async ({ page }) => {
    await trialSeller(page)
    await page.getByRole('button', { name: 'Talk to Operon' }).click()
    const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
    await dialog.getByLabel('Message Operon').fill('generate an image of a red bicycle')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('log').getByRole('img', { name: 'a red bicycle' })).toBeVisible({ timeout: 30_000 })
  })

  test('research goes to perplexity and shows its sources [spec-69]', async ({ page }) => {
    await trialSeller(page)
    await page.getByRole('button', { name: 'Talk to Operon' }).click()
    const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
    await dialog.getByLabel('Message Operon').fill('research how bakeries price subscription boxes')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('log').getByText('Perplexity')).toBeVisible()
    await expect(dialog.getByText('Sources')).toBeVisible()
    await expect(dialog.getByRole('link', { name: /example\.com/ }).first()).toBeVisible()
  })

  test('speech: on from the start, the specified voice, Stop Speaking; recognition once in en-US [spec-63]', async ({ page }) => {
    await page.addInitScript(() => {
      const spoken: object[] = []
      class Utterance {
        text: string
        onstart?: () => void
        onend?: () => void
        constructor(text: string) {
          this.text = text
        }
      }
      class Recognition {
        lang = ''
        continuous = true
        interimResults = true
        onresult?: (event: object) => void
        onend?: () => void
        start() {
          Object.assign(window, { listened: { lang: this.lang, continuous: this.continuous, interim: this.interimResults } })
          queueMicrotask(() => {
            this.onresult?.({ results: [[{ transcript: 'good morning' }]] })
            this.onend?.()
          })
        }
        abort() {}
      }
      Object.assign(window, {
        SpeechSynthesisUtterance: Utterance,
        webkitSpeechRecognition: Recognition,
        SpeechRecognition: Recognition,
        spoken,
      })
      Object.defineProperty(window, 'speechSynthesis', {
        value: {
          getVoices: () => [],
          cancel: () => {},
          speak(utterance: Utterance) {
            spoken.push({ ...utterance })
            utterance.onstart?.()
          },
        },
      })
    })
    await trialSeller(page)
    await page.getByRole('button', { name: 'Talk to Operon' }).click()
    const dialog = page.getByRole('dialog', { name: 'Talk to Operon' })
    await dialog.getByRole('button', { name: 'Speak instead of typing' }).click()
    await expect(dialog.getByLabel('Message Operon')).toHaveValue('good morning')
    expect(await page.evaluate('listened')).toEqual({ lang: 'en-US', continuous: false, interim: false })
    await dialog.getByLabel('Message Operon').press('Enter')
    await expect(dialog.getByRole('button', { name: 'Stop Speaking' })).toBeVisible()
    expect(await page.evaluate('spoken[0]')).toMatchObject({ lang: 'en-US', pitch: 1.1, rate: 0.9, volume: 0.8 })
    await dialog.getByRole('button', { name: 'Stop Speaking' }).click()
    await expect(dialog.getByRole('button', { name: 'Stop Speaking' })).toHaveCount(0)
    await dialog.getByRole('button', { name: /Speech output/ }).click()
    await expect(dialog.getByRole('button', { name: /Speech output/ })).toHaveText(/Off/)
  })
})
