import { createHash, randomFillSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { payByCard } from './selling.ts'
import { expect, expectSound, later, linkTo, newEmail, newTrialSeller, openLetter, password, test, wake } from './steps.ts'

const MIB = 1024 * 1024
const folder = process.env.E2E_SHOTS && `${process.env.E2E_SHOTS}/marketplace-walk`

// Only what is on the screen: payouts, a large file over a bad line, a guest in another browser, a claim and a refund.
for (const phone of [false, true])
  test.describe(phone ? 'on a phone' : 'at a desk', () => {
    test.use({ allowed: [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/], ...(phone && { viewport: { width: 390, height: 844 } }) })
    test('a seller sets up payouts and publishes 200 MB over a line that is cut twice; a guest buys, resumes the download, claims and is refunded, and every number follows [spec-98] [spec-99] [spec-104] [spec-105] [spec-106]', async ({
      page: desk,
      context,
      browser,
      request,
      baseURL,
    }, testInfo) => {
      test.setTimeout(600_000)
      let shots = 0
      const shot = async (page: Page, name: string) =>
        folder &&
        page.screenshot({ path: `${folder}/${phone ? 'phone' : 'desk'}-${String(++shots).padStart(2, '0')}-${name}.png`, fullPage: true })
      const seller = await newTrialSeller(desk, '/dashboard/payments')
      const figures = async (page: Page, path: string, wanted: Record<string, string>) => {
        await expect(async () => {
          await page.goto(path)
          for (const [label, value] of Object.entries(wanted))
            await expect(page.getByText(label, { exact: true }).locator('..')).toContainText(value, { timeout: 4_000 })
        }).toPass({ timeout: 40_000 })
      }

      await test.step('payouts', async () => {
        await desk.getByRole('button', { name: 'Set up payouts' }).click()
        await desk.waitForURL('**/sandbox/stripe/onboarding/**')
        await desk.getByLabel('Bank account number').fill('000123456789')
        await desk.getByRole('button', { name: 'Submit' }).click()
        await desk.waitForURL('**/dashboard/payments**')
        await later(request, seller.user.id, 61 / 86_400)
        await expect(desk.getByText('Payouts are set up')).toBeVisible({ timeout: 40_000 })
      })

      const content = randomFillSync(Buffer.alloc(200 * MIB))
      await test.step('a product with a file of 200 MB, cut twice on the way', async () => {
        await desk.goto('/dashboard/marketplace?tab=products&new=')
        await desk.getByLabel('Name').fill('Studio pack')
        await desk.getByLabel('Price in US dollars').fill('49')
        await desk.getByRole('button', { name: 'Create draft' }).click()
        await desk.getByLabel('Description').fill('Sixty presets and the raw files.')
        await desk.getByRole('button', { name: 'Save', exact: true }).click()
        await expect(desk.getByText('Draft saved')).toBeVisible()
        const file = testInfo.outputPath('pack.zip')
        writeFileSync(file, content)
        const network = await context.newCDPSession(desk)
        const line = (uploadThroughput: number, offline = false) =>
          network.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput })
        const bar = desk.getByRole('progressbar', { name: 'Upload of pack.zip' })
        const sent = () => bar.evaluate((element: HTMLProgressElement) => element.value / 1024 ** 2)
        await line(24 * MIB)
        await desk.locator('input[type=file][multiple]:not([accept])').setInputFiles(file)
        for (const at of [40, 110]) {
          await expect.poll(sent, { timeout: 60_000 }).toBeGreaterThan(at)
          await line(0, true)
          await expect(desk.getByText(/waiting for the connection/)).toBeVisible({ timeout: 30_000 })
          await shot(desk, `cut-at-${at}`)
          await line(24 * MIB)
        }
        await line(-1)
        await expect(bar).toHaveCount(0, { timeout: 120_000 })
        await expect(desk.getByText('200 MB')).toBeVisible()
        await expect(desk.getByText('Before you can publish')).toHaveCount(0, { timeout: 60_000 })
        await desk.getByRole('button', { name: 'Publish', exact: true }).click()
      })
      const see = desk.getByRole('link', { name: 'See it' })
      await expect(see).toHaveAttribute('href', /\/studio-pack$/)
      const product = (await see.getAttribute('href'))!
      await shot(desk, 'published')

      const guest = await (
        await browser.newContext({ baseURL: baseURL!, acceptDownloads: true, ...(phone && { viewport: { width: 390, height: 844 } }) })
      ).newPage()
      const email = newEmail()
      await test.step('a guest buys in another browser', async () => {
        await guest.goto(product)
        await wake(guest)
        await shot(guest, 'product')
        await guest.getByRole('button', { name: 'Buy Now: Studio pack' }).first().click()
        await guest.waitForURL('**/sandbox/stripe/checkout/**')
        await guest.getByLabel('Email').fill(email)
        await guest.getByLabel('Postal code').fill('97201')
        await payByCard(guest)
        await guest.waitForURL('**/orders/**')
        await expect(guest.getByRole('heading', { name: 'Your download is ready' })).toBeVisible({ timeout: 20_000 })
        await shot(guest, 'order')
      })

      await test.step('the download is cut after a part, and goes on from there', async () => {
        const asked = guest.waitForResponse((response) => response.url().includes('/functions/v1/order-download'))
        const begun = guest.waitForEvent('download')
        await guest.getByRole('button', { name: 'Download pack.zip' }).click()
        const { url } = await (await asked).json()
        await (await begun).cancel()
        const at = baseURL + new URL(url).pathname + new URL(url).search
        const cut = new AbortController()
        const hash = createHash('sha256')
        let received = 0
        const first = await fetch(at, { signal: cut.signal })
        expect([first.status, first.headers.get('accept-ranges'), first.headers.get('content-length')]).toEqual([
          200,
          'bytes',
          String(200 * MIB),
        ])
        try {
          for await (const piece of first.body!) {
            hash.update(piece)
            received += piece.length
            if (received > 60 * MIB) cut.abort()
          }
        } catch (error) {
          expect((error as Error).name).toBe('AbortError')
        }
        expect(received).toBeLessThan(200 * MIB)
        const rest = await fetch(at, { headers: { range: `bytes=${received}-` } })
        expect([rest.status, rest.headers.get('content-range')]).toEqual([206, `bytes ${received}-${200 * MIB - 1}/${200 * MIB}`])
        for await (const piece of rest.body!) hash.update(piece)
        expect(hash.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'))
      })

      await test.step('the seller’s numbers', async () => {
        await figures(desk, '/dashboard/marketplace', { 'Total Sales': '1', Revenue: '$49', 'Active Products': '1' })
        await shot(desk, 'overview-sold')
        await desk.goto('/dashboard/payments')
        await expect(desk.getByRole('button', { name: /^Held/ })).toContainText('$39.20', { timeout: 20_000 })
      })

      await test.step('an account with the address has the order', async () => {
        await guest.getByRole('link', { name: 'Create a buyer account' }).click()
        await guest.getByRole('tab', { name: 'Sign Up' }).click()
        await guest.getByLabel('Full name').fill('Gina Guest')
        await guest.getByLabel('Email').fill(email)
        await guest.getByLabel('Password', { exact: true }).fill(password)
        await guest.getByLabel('Confirm password').fill(password)
        await guest.getByRole('checkbox', { name: /Terms of Service/ }).check()
        await guest.getByRole('button', { name: 'Sign Up' }).click()
        await guest.waitForURL('**/buyer-dashboard')
        await guest.getByRole('button', { name: 'Email me a link' }).click()
        await expect(guest.getByText(`We sent a link to ${email}`)).toBeVisible()
        const kept = () => guest.evaluate(() => localStorage.getItem('operon-auth'))
        const before = await kept()
        await openLetter(guest, await linkTo(guest, email, '/verify', /sign-in link/))
        await guest.waitForURL('**/buyer-dashboard')
        await expect(async () => expect([null, before]).not.toContain(await kept())).toPass()
        const orders = guest.getByRole('link', { name: /^Orders/ }).last()
        await expect(async () => {
          await guest.goto('/buyer-dashboard')
          await expect(orders).toContainText('1', { timeout: 3_000 })
        }).toPass({ timeout: 30_000 })
        await shot(guest, 'buyer-dashboard')
        await orders.click()
        await guest.getByRole('link', { name: /Studio pack/ }).click()
        await expect(guest.getByRole('heading', { name: 'Your download is ready' })).toBeVisible()
      })

      await test.step('a refund is asked for and given', async () => {
        await guest.getByRole('button', { name: 'Request a refund' }).click()
        await guest.getByLabel('What happened').fill('I bought the wrong pack.')
        await guest.getByRole('button', { name: 'Send the request' }).click()
        await expect(guest.getByText('Waiting for the seller')).toBeVisible()
        await desk.goto('/dashboard/marketplace?tab=messages')
        const asked = desk.getByRole('list', { name: 'Refund requests' })
        await expect(asked).toContainText('I bought the wrong pack.')
        await shot(desk, 'refund-asked')
        await asked.getByRole('button', { name: 'Refund' }).click()
        await desk.getByRole('button', { name: 'Refund $49' }).click()
        await expect(asked).toContainText(/Being paid back|Refunded/)
        await expect(async () => {
          await guest.reload()
          await expect(guest.getByText('$49 went back to the card that paid', { exact: false })).toBeVisible({ timeout: 3_000 })
        }).toPass({ timeout: 30_000 })
        await expect(guest.getByRole('button', { name: /^Download/ })).toHaveCount(0)
        await shot(guest, 'refunded')
      })

      await test.step('every number follows', async () => {
        await figures(desk, '/dashboard/marketplace', { 'Total Sales': '0', Revenue: '$0', 'Active Products': '1' })
        await shot(desk, 'overview-refunded')
        if (!phone) await expectSound(desk)
        await desk.goto('/dashboard/payments')
        await expect(desk.getByRole('button', { name: /^Held/ })).toContainText('$0', { timeout: 20_000 })
        await shot(desk, 'payments-refunded')
        await guest.goto('/buyer-dashboard/orders')
        await expect(guest.getByRole('main')).toContainText('Refunded')
        await shot(guest, 'buyer-orders')
        if (!phone) await expectSound(guest)
      })
    })
  })
