import { KEY, startCompatibleServer } from './compatibleServer.ts'
import { startOwnPlatform } from './ownPlatform.ts'
import { shotsOf } from './shots.ts'
import { call, expect, newTrialSeller, test } from './steps.ts'

const shoot = shotsOf('one-key')

test('with the key of one compatible server pictures are made, changed, shared and put on a product, a text is read, and the dialog draws [spec-65] [spec-80] [spec-84]', async ({
  browser,
}) => {
  test.setTimeout(240_000)
  const server = await startCompatibleServer()
  const platform = await startOwnPlatform({
    AUTH_AUTOCONFIRM: 'true',
    AI_BASE_URL: server.url,
    AI_API_KEY: KEY,
    AI_MODEL: 'local-words',
    AI_IMAGE_MODEL: 'local-pictures',
    AI_SPEECH_MODEL: 'local-voice',
  })
  try {
    const page = await (await browser.newContext({ baseURL: platform.address, reducedMotion: 'reduce' })).newPage()
    const session = await newTrialSeller(page, '/dashboard/image-studio')
    const product = { title: 'Bike guide', description: 'A guide to bikes', price_cents: 900, category: 'Marketing', item_type: 'pdf' }
    await call(page.request, session, 'create-product', product)
    const prompt = page.getByRole('textbox', { name: 'Prompt' })
    const gallery = page
      .locator('section, div')
      .filter({ has: page.getByRole('heading', { name: 'Gallery' }) })
      .last()
    const newest = (what: RegExp) => gallery.getByRole('button', { name: what }).first()

    await prompt.fill('a red bicycle')
    await page.getByLabel('Images', { exact: true }).selectOption('4')
    await page.getByRole('button', { name: 'Generate' }).click()
    await expect(page.getByText('Generated 4 image(s) successfully!')).toBeVisible({ timeout: 30_000 })
    await expect(gallery.getByRole('button', { name: /^Open: a red bicycle/ })).toHaveCount(4)
    await shoot(page, 'gallery')
    await newest(/^Open: a red bicycle/).click()
    const dialog = page.getByRole('dialog', { name: 'Image' })
    // Nothing of the stand-in's: no picture is called a demo.
    await expect(dialog.getByText(/demo/i)).toHaveCount(0)

    await dialog.getByRole('button', { name: 'Share' }).click()
    const link = await dialog.getByRole('textbox', { name: 'Public link' }).inputValue()
    expect((await page.request.get(link)).status()).toBe(200)
    await dialog.getByRole('button', { name: 'Revoke link' }).click()
    await expect(page.getByText('The link no longer works')).toBeVisible()
    expect((await page.request.get(link)).status()).toBe(404)

    await dialog.getByRole('button', { name: 'Use in' }).click()
    await page.getByRole('menuitem', { name: 'A product' }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByText('Added to Bike guide')).toBeVisible()

    await dialog.getByRole('button', { name: 'Change a part' }).click()
    const box = (await page.getByRole('img', { name: 'The painted part' }).boundingBox())!
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.7)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.8, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Use this part' }).click()
    await prompt.fill('a blue boat')
    await page.getByLabel('Images', { exact: true }).selectOption('1')
    await page.getByRole('button', { name: 'Generate' }).click()
    await expect(page.getByText('Generated 1 image(s) successfully!').last()).toBeVisible({ timeout: 30_000 })
    await expect(newest(/^Open: a blue boat/)).toBeVisible()

    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Talk to Operon' }).click()
    const talk = page.getByRole('dialog', { name: 'Talk to Operon' })
    await talk.getByLabel('Message Operon').fill('generate an image of a red bicycle')
    await page.keyboard.press('Enter')
    await expect(talk.getByRole('log').getByRole('img', { name: 'a red bicycle' })).toBeVisible({ timeout: 30_000 })
    await shoot(page, 'dialog')
    await talk.getByLabel('Message Operon').fill('What should I do today?')
    await page.keyboard.press('Enter')
    await expect(talk.getByRole('log').getByText('An answer of the only server.')).toBeVisible({ timeout: 30_000 })
    const read = await page.request.post('/ai/v1/audio/speech', {
      headers: { authorization: `Bearer ${session.access_token}` },
      data: { model: 'tts-1', voice: 'nova', input: 'An answer of the only server.' },
    })
    expect(read.headers()['content-type']).toMatch(/^audio\//)
    expect((await read.body()).length).toBeGreaterThan(90_000)

    const modelsOf = (path: string) => [...new Set(server.asked.filter((ask) => ask.path === path).map(({ model }) => model))]
    expect(modelsOf('/images/generations')).toEqual(['local-pictures'])
    expect(modelsOf('/images/edits')).toEqual(['local-pictures'])
    expect(modelsOf('/chat/completions')).toEqual(['local-words'])
    expect(modelsOf('/audio/speech')).toEqual(['local-voice'])
    expect(server.asked.filter(({ path }) => path === '/images/generations')).toHaveLength(5)
  } finally {
    server.stop()
    await platform.stop()
  }
})
