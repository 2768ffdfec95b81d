import type { Page } from '@playwright/test'
import { payByCard, product, readySeller, upload } from './selling.ts'
import { shotsOf } from './shots.ts'
import { api, enter, expect, expectSound, linkTo, newEmail, openLetter, password, test, wake } from './steps.ts'

// A seller and a guest in two browsers, from the product's page to the money back.
const shot = shotsOf('buying')

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==', 'base64')

for (const phone of [false, true])
  test(`a guest buys two products, downloads, writes, keeps the order in an account, reviews it and gets the money back${phone ? ', on a phone' : ''} [spec-104] [spec-105] [spec-106]`, {
    tag: phone ? '@proof' : [],
  }, async ({ page, request, browser, baseURL }) => {
    test.setTimeout(240_000)
    if (phone) await page.setViewportSize({ width: 390, height: 844 })
    const seller = await readySeller(request)
    const desk = await (await browser.newContext({ baseURL: baseURL! })).newPage()
    const pictures = [
      await upload(request, seller, 'one.png', PNG, 'image/png'),
      await upload(request, seller, 'two.png', PNG, 'image/png'),
    ]
    const [first, second] = [
      await product(request, seller, 'Lead qualification', 4900, { activation_limit: 3, image_ids: pictures }),
      await product(request, seller, 'Invoice reminders', 1900),
    ]
    const email = newEmail()

    await page.goto(first.path)
    await wake(page)
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.goto(second.path)
    await wake(page)
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('button', { name: 'Open the cart' }).first().click()
    await expect(page.getByText('$68')).toBeVisible()
    await expectSound(page)
    await shot(page, 'cart')
    await page.getByLabel('Email for the receipt').fill(email)
    await page.getByRole('button', { name: 'Go to payment' }).click()
    await payByCard(page)

    await page.waitForURL('**/orders/**')
    await expect(page.getByRole('heading', { name: 'Your download is ready' })).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText('Used on 0 of 3 machines.')).toBeVisible()
    // The seller's own software, on the buyer's machine.
    const key = await page.getByLabel('License key', { exact: true }).inputValue()
    const licence = { key, item_id: first.item_id, machine: 'a1b2c3' }
    const activated = await request.post('/functions/v1/activate-licence', { headers: api, data: licence })
    expect(await activated.json()).toMatchObject({ valid: true, activations: 1 })
    await page.reload()
    await expect(page.getByText('Used on 1 of 3 machines.')).toBeVisible()
    await expectSound(page)
    await shot(page, 'order-of-a-guest')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download guide.txt' }).first().click(),
    ])
    expect(file.suggestedFilename()).toBe('guide.txt')
    const receipt = await linkTo(page, email, '/orders/', /Your order/)

    await page.getByLabel('Write to Ann Sells').fill('Does it work with HubSpot?')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Does it work with HubSpot?' })).toBeVisible()
    await enter(desk, seller, '/dashboard/marketplace?tab=messages')
    await expect(desk.getByRole('button', { name: new RegExp(email) })).toContainText('1 new')
    await desk.getByRole('button', { name: new RegExp(email) }).click()
    const conversation = desk.getByRole('dialog', { name: email })
    await conversation.getByLabel(`Write to ${email}`).fill('Yes, by its API key.')
    await conversation.getByLabel('Attach files').setInputFiles([
      { name: 'setup.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') },
      { name: 'keys.txt', mimeType: 'text/plain', buffer: Buffer.from('Settings, then API keys.') },
    ])
    await expect(desk.getByText('setup.exe is a program')).toBeVisible()
    await expect(conversation.getByRole('list', { name: 'Attached files' })).toContainText('keys.txt')
    await expect(conversation.getByRole('button', { name: 'Send' })).toBeEnabled()
    await shot(desk, 'attaching')
    await conversation.getByRole('button', { name: 'Send' }).click()
    await expect(conversation.getByRole('listitem').filter({ hasText: 'Yes, by its API key.' })).toBeVisible()
    await expectSound(desk)
    await desk.keyboard.press('Escape')
    await expect(desk.getByRole('button', { name: new RegExp(email) })).toContainText('You: Yes, by its API key.')

    // The guest answers the letter itself, in the stand-in's inbox.
    await expect(async () => {
      await page.goto(`/sandbox/inbox?to=${encodeURIComponent(email)}`)
      await page.getByRole('link', { name: /Ann Sells wrote about/ }).click({ timeout: 2000 })
    }).toPass({ timeout: 20_000 })
    await page.getByLabel('Your answer').fill('Thank you, that helps.')
    await page.getByLabel('Files').setInputFiles({ name: 'shot.png', mimeType: 'image/png', buffer: PNG })
    await page.getByRole('button', { name: 'Reply' }).click()
    await expect(page.getByText('Your answer was sent and taken.')).toBeVisible()
    await page.goto(receipt)
    await expect(page.getByText('Thank you, that helps.')).toBeVisible()
    await expect(page.getByRole('button', { name: /^shot.png/ })).toBeVisible()
    await page.getByLabel('Write to Ann Sells').fill('And this is the log.')
    await page
      .getByLabel('Attach files')
      .setInputFiles({ name: 'run.log.txt', mimeType: 'text/plain', buffer: Buffer.from('Step 2 failed.') })
    await shot(page, 'guest-attaching')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByRole('button', { name: /^run.log.txt/ })).toBeVisible()
    await expect(page.getByRole('list', { name: 'Attached files' })).toHaveCount(0)
    const [sent] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^keys.txt/ }).click()])
    expect(sent.suggestedFilename()).toBe('keys.txt')
    await shot(page, 'order-with-messages')

    // An account with the confirmed address has the order by itself.
    await page.getByRole('link', { name: 'Create a buyer account' }).click()
    await page.getByRole('tab', { name: 'Sign Up' }).click()
    await page.getByLabel('Full name').fill('Mara Lindt')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await confirmAddress(page, email)
    await page.goto('/buyer-dashboard')
    const orders = page.getByRole('link', { name: /^Orders/ }).last()
    await expect(async () => {
      await page.reload()
      await expect(orders).toContainText('1', { timeout: 3000 })
    }).toPass({ timeout: 30_000 })
    await expectSound(page)
    await shot(page, 'buyer-dashboard')
    await orders.click()
    await page.getByRole('link', { name: /Lead qualification/ }).click()
    await expect(page.getByText('This order belongs to an account')).toHaveCount(0)

    await page.getByLabel('Write to Ann Sells').fill('This is what I see.')
    await page.getByLabel('Attach files').setInputFiles({ name: 'shot.png', mimeType: 'image/png', buffer: PNG })
    await expect(page.getByRole('list', { name: 'Attached files' })).toContainText('shot.png')
    await page.getByRole('button', { name: 'Send' }).click()
    // Beside the one that came with the answer by mail.
    await expect(page.getByRole('button', { name: /^shot.png/ })).toHaveCount(2)

    await page.getByRole('button', { name: 'Review Lead qualification' }).click()
    await page.getByLabel('Add photos').setInputFiles({ name: 'desk.png', mimeType: 'image/png', buffer: PNG })
    await expect(page.getByAltText('Yours, 1 of 1')).toBeVisible()
    await shot(page, 'reviewing')
    await page.getByRole('radio', { name: '4 stars' }).check({ force: true })
    await page.getByLabel('What should others know?').fill('Set up in ten minutes.')
    await page.getByRole('button', { name: 'Publish the review' }).click()
    await expect(page.getByText('Set up in ten minutes.')).toBeVisible()
    await shot(page, 'own-order')

    await page.getByRole('button', { name: 'Request a refund' }).click()
    await page.getByLabel('What happened').fill('It stops at the second step.')
    await shot(page, 'refund-request')
    await page.getByRole('button', { name: 'Send the request' }).click()
    await expect(page.getByText('Waiting for the seller')).toBeVisible()
    const asked = desk.getByRole('list', { name: 'Refund requests' })
    await expect(asked).toContainText('It stops at the second step.')
    await desk.getByRole('button', { name: 'Answer Mara' }).click()
    await desk.getByLabel('Your answer, for everybody to see').fill('Thank you for the review.')
    await desk.getByRole('button', { name: 'Save answer' }).click()
    await expect(desk.getByRole('list', { name: 'Reviews' })).toContainText('Thank you for the review.')
    await expectSound(desk)
    await shot(desk, 'seller-messages')
    await asked.getByRole('button', { name: 'Refund' }).click()
    await desk.getByRole('button', { name: 'Refund $68' }).click()
    await expect(asked).toContainText(/Being paid back|Refunded/)
    await expect(async () => {
      await page.reload()
      await expect(page.getByText('$68 went back to the card that paid', { exact: false })).toBeVisible({ timeout: 3000 })
    }).toPass({ timeout: 30_000 })
    await expect(page.getByRole('button', { name: /^Download/ })).toHaveCount(0)
    await expectSound(page)
    await shot(page, 'refunded')
    await page.goto(first.path)
    await expect(page.getByText('This order was refunded')).toBeVisible()
    await expect(page.getByText('4.0 of 5 from 1 buyer')).toBeVisible()
    await expect(page.getByText('Thank you for the review.')).toBeVisible()
    const photo = page.getByAltText('Taken by Mara Lindt, 1 of 1')
    await expect(photo).toBeVisible()
    expect(await photo.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)
    await expect(page.getByAltText('Lead qualification, picture 2 of 2')).toBeVisible()
    await expectSound(page)
    await shot(page, 'product-with-review')
    for (const place of ['orders', 'messages', 'reviews', 'wishlist', 'searches', 'settings']) {
      await page.goto(`/buyer-dashboard/${place}`)
      await page.waitForLoadState('networkidle')
      await expectSound(page)
      await shot(page, `buyer-${place}`)
    }
  })

/** A link by email shows that the address is theirs. */
async function confirmAddress(page: Page, email: string) {
  await page.waitForURL('**/buyer-dashboard')
  await page.getByRole('button', { name: 'Email me a link' }).click()
  await expect(page.getByText(`We sent a link to ${email}`)).toBeVisible()
  const kept = () => page.evaluate(() => localStorage.getItem('operon-auth'))
  const before = await kept()
  await openLetter(page, await linkTo(page, email, '/verify', /sign-in link/))
  await page.waitForURL('**/buyer-dashboard')
  // The proof has ended the session from before; the new one has to be kept before the page is left.
  await expect(async () => expect([null, before]).not.toContain(await kept())).toPass()
}
