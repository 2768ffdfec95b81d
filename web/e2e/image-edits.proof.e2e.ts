import { call, expect, faultsOf, newTrialSeller, test } from './steps.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test.describe('image edits', () => {
  // The page of a revoked link is a 404.
  test.use({ allowed: [/404/] })

  test('a newcomer changes a part of a picture, draws from one of their own, compares two and puts one on a product [spec-84]', async ({
    page,
  }) => {
    const session = await newTrialSeller(page, '/dashboard/image-studio')
    const product = { title: 'Bike guide', description: 'A guide to bikes', price_cents: 900, category: 'Marketing', item_type: 'pdf' }
    await call(page.request, session, 'create-product', product)
    const prompt = page.getByRole('textbox', { name: 'Prompt' })
    const made = async (what: string) => {
      await prompt.fill(what)
      await page.getByRole('button', { name: 'Generate' }).click()
      await expect(page.getByText('Generated 1 image(s) successfully!').last()).toBeVisible({ timeout: 30_000 })
    }
    const gallery = (what: RegExp) => page.getByRole('button', { name: what })
    await made('a red bicycle')
    await gallery(/^Open: a red bicycle/)
      .last()
      .click()
    await page.getByRole('button', { name: 'Use in' }).click()
    await page.getByRole('menuitem', { name: 'A product' }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByText('Added to Bike guide')).toBeVisible()
    const { products } = await call(page.request, session, 'list-products')
    const { images } = await call(page.request, session, 'read-product', { item_id: products[0].id })
    expect(images).toHaveLength(1)

    await page.getByRole('button', { name: 'Change a part' }).click()
    const box = (await page.getByRole('img', { name: 'The painted part' }).boundingBox())!
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.7)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.8, { steps: 5 })
    await page.mouse.up()
    const ordered = page.waitForRequest((request) => request.url().endsWith('/start-images'))
    await page.getByRole('button', { name: 'Use this part' }).click()
    await expect(page.getByText('Changes the marked part of “a red bicycle”')).toBeVisible()
    await expect(page.getByLabel('Model').getByRole('option', { name: 'Gemini' })).toBeDisabled()
    await made('a blue boat')
    expect((await ordered).postDataJSON()).toMatchObject({ model: 'gpt-image-1', mask: expect.stringMatching(/^iVBOR/) })
    await page.getByRole('button', { name: 'Draw a new picture' }).click()

    const pixels = Buffer.from(PIXEL, 'base64')
    await page.getByLabel('Add a picture to draw from').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pixels })
    await expect(page.getByRole('img', { name: 'logo.png' })).toBeVisible()
    await page.getByLabel('Model').selectOption('flux')
    await expect(page.getByRole('img', { name: 'logo.png' })).toHaveCount(0)
    await page.getByLabel('Model').selectOption('gpt-image-1')
    const drawn = page.waitForRequest((request) => request.url().endsWith('/start-images'))
    await made('a poster with this logo')
    expect((await drawn).postDataJSON().reference_ids).toHaveLength(1)

    await gallery(/^Open: a poster/)
      .last()
      .click()
    await page.getByRole('button', { name: 'Compare' }).click()
    await gallery(/^Open: a blue boat/)
      .last()
      .click()
    const compared = page.getByRole('dialog', { name: 'Compare' })
    await expect(compared.getByRole('img')).toHaveCount(2)
  })

  test('pictures dropped beside the prompt or pasted into it are drawn from [spec-84]', async ({ page }) => {
    await newTrialSeller(page, '/dashboard/image-studio')
    const prompt = page.getByRole('textbox', { name: 'Prompt' })
    const bring = (event: 'drop' | 'paste', name: string) =>
      prompt.evaluate(
        (field, { event, name, pixel }) => {
          const files = new DataTransfer()
          files.items.add(new File([Uint8Array.from(atob(pixel), (c) => c.charCodeAt(0))], name, { type: 'image/png' }))
          const how = { bubbles: true, cancelable: true }
          field.dispatchEvent(
            event === 'drop'
              ? new DragEvent('drop', { ...how, dataTransfer: files })
              : new ClipboardEvent('paste', { ...how, clipboardData: files }),
          )
        },
        { event, name, pixel: PIXEL },
      )
    await bring('drop', 'dropped.png')
    await expect(page.getByRole('img', { name: 'dropped.png' })).toBeVisible()
    await bring('paste', 'pasted.png')
    await expect(page.getByRole('img', { name: 'pasted.png' })).toBeVisible()
    const ordered = page.waitForRequest((request) => request.url().endsWith('/start-images'))
    await prompt.fill('a poster with these logos')
    await page.getByRole('button', { name: 'Generate' }).click()
    expect((await ordered).postDataJSON().reference_ids).toHaveLength(2)
    await expect(page.getByText('Generated 1 image(s) successfully!')).toBeVisible({ timeout: 30_000 })
  })

  test('a tab closed while a picture is drawn loses nothing: the next one watches it to its end and keeps it [spec-82] [spec-84]', async ({
    page,
    context,
    request,
  }) => {
    const session = await newTrialSeller(page, '/dashboard/image-studio')
    await faultsOf(request, session).order({ kind: 'slow_headers', ms: 3_000, match: '/images/', times: 1 })
    await page.getByRole('textbox', { name: 'Prompt' }).fill('a red bicycle')
    await page.getByRole('button', { name: 'Generate' }).click()
    await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible()
    await page.close()
    const next = await context.newPage()
    await next.goto('/dashboard/image-studio')
    await expect(next.getByRole('button', { name: 'Stop' })).toBeVisible()
    await expect(next.getByText('Generated 1 image(s) successfully!')).toBeVisible({ timeout: 30_000 })
    await expect(next.getByRole('button', { name: /^Open: a red bicycle/ })).toHaveCount(2)
  })

  test('a picture is enlarged, put into a draft of an email, and taken into an ad [spec-84]', async ({ page }) => {
    const session = await newTrialSeller(page, '/dashboard/image-studio')
    const { campaign_id } = await call(page.request, session, 'create-campaign', { name: 'Spring news', subject: 'New bicycles' })
    const { picture_id } = await call(page.request, session, 'generate-image', { prompt: 'a red bicycle' })
    const opened = () => page.goto(`/dashboard/image-studio?image=${picture_id}`)
    await opened()
    await page.getByRole('button', { name: 'Enlarge to 2048x2048' }).click()
    await expect(page.getByText('Enlarged to 2048x2048')).toBeVisible({ timeout: 30_000 })
    await page.getByRole('list', { name: 'Results' }).getByRole('button', { name: 'Open: a red bicycle' }).click()
    await expect(page.getByRole('dialog').getByText('Real-ESRGAN')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Enlarge' })).toHaveCount(0)

    await opened()
    await page.getByRole('button', { name: 'Use in' }).click()
    await page.getByRole('menuitem', { name: 'An email' }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`campaign=${campaign_id}`))
    await expect(page.frameLocator('iframe').getByRole('img', { name: 'a red bicycle' })).toHaveJSProperty('naturalWidth', 1024)

    await opened()
    await page.getByRole('button', { name: 'Use in' }).click()
    await page.getByRole('menuitem', { name: 'An ad' }).click()
    await expect(page.getByText('Shown in the ads that you create here.')).toBeVisible()
    await expect(page.getByRole('img', { name: 'a red bicycle' })).toHaveJSProperty('naturalWidth', 1024)
    await page.getByRole('button', { name: 'Take the picture out' }).click()
    await page.getByRole('button', { name: 'Choose a picture' }).click()
    await page.getByRole('button', { name: 'Take: a red bicycle' }).first().click()
    await expect(page.getByText('Shown in the ads that you create here.')).toBeVisible()
  })

  test('a shared link has a preview in its page, and once revoked page and file answer 404 within a second [spec-84]', async ({ page }) => {
    const session = await newTrialSeller(page, '/dashboard/image-studio')
    const { picture_id } = await call(page.request, session, 'generate-image', { prompt: 'a rocket' })
    const { url } = await call(page.request, session, 'share-image', { picture_id })
    const { pathname } = new URL(url)
    const open = await page.request.get(pathname)
    expect([open.status(), await open.text()]).toEqual([200, expect.stringContaining('property="og:image"')])
    const file = `/files/v1/media/~shared/${pathname.split('/').at(-1)}`
    expect((await page.request.get(file)).status()).toBe(200)
    const began = Date.now()
    await call(page.request, session, 'unshare-image', { picture_id })
    const answers = await Promise.all([page.request.get(pathname), page.request.get(file)])
    expect(answers.map((answer) => answer.status())).toEqual([404, 404])
    expect(Date.now() - began).toBeLessThan(1000)
  })
})
