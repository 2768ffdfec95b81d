import type { Page } from '@playwright/test'
import { buy, dispute, product, readySeller } from './selling.ts'
import { call, expect, expectAccessible, holdStill, later, newEmail, newTrial, signInAsStaff, test } from './steps.ts'

// E2E_SHOTS=shots keeps each screen, dark and light, wide and narrow, in shots/staff-money.
const folder = process.env.E2E_SHOTS && `${process.env.E2E_SHOTS}/staff-money`
const swept = { timeout: 90_000 }

/** The tab as it is now, sound in both themes at two widths. */
async function look(page: Page, name: string) {
  await holdStill(page)
  for (const theme of ['dark', 'light'])
    for (const width of [1440, 390])
      await test.step(`${name}: ${theme}, ${width} px`, async () => {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate((value) => document.documentElement.setAttribute('data-theme', value), theme)
        await expectAccessible(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        if (folder) await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png`, fullPage: true })
      })
  await page.evaluate(() => document.documentElement.removeAttribute('data-theme'))
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** Opens a tab and asks it for its list. */
async function list(page: Page, tab: string, ask: string, reason = 'the morning look') {
  await page.getByRole('tab', { name: tab, exact: true }).click()
  const panel = page.getByRole('tabpanel', { name: tab })
  await panel.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await panel.getByRole('button', { name: ask }).click()
  return panel
}

test('staff read and act on all money in its tabs: sellers, payouts, disputes, books, figures, codes and failed events [spec-36] [spec-45] [spec-136]', {
  tag: '@alone',
}, async ({ page, request }) => {
  test.setTimeout(420_000)
  const seller = await readySeller(request)
  const [kept, refunded, disputed] = [
    await product(request, seller, 'Lead qualification', 12_000),
    await product(request, seller, 'Invoice reminders', 5_000),
    await product(request, seller, 'Booking assistant', 9_000),
  ]
  await buy(request, kept.item_id)
  await buy(request, refunded.item_id)
  await dispute(request, await buy(request, disputed.item_id))
  const { stripe } = await (await request.get('/sandbox/api/addresses')).json()
  const unknown = { amount: '700', currency: 'usd', payment_method: 'pm_card_visa', confirm: 'true' }
  const headers = { authorization: 'Bearer sk_test_sandbox' }
  expect((await request.post(`${stripe}/v1/payment_intents`, { headers, form: unknown })).ok()).toBe(true)
  await expect.poll(async () => (await call(request, seller, 'seller-balance')).balances[0]?.held_cents, swept).toBe(20_800)
  await signInAsStaff(page, request)
  await page.goto('/staff')

  await test.step('a draft of the seller’s is there when staff answer the dispute, and a second answer is not offered', async () => {
    const sales = async () => (await call(request, seller, 'list-sales', { only: 'disputed' })).sales as { id: string }[]
    await expect.poll(async () => (await sales()).length, swept).toBe(1)
    const [sale] = await sales()
    await call(request, seller, 'submit-evidence', { sale_id: sale!.id, text: 'They use it each day.', send: false })
    await page.getByRole('tab', { name: 'Sellers' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Sellers' })
    await panel.getByRole('textbox', { name: 'Seller' }).fill(seller.user.email)
    await panel.getByRole('textbox', { name: 'Reason' }).fill('they wrote to us')
    await panel.getByRole('button', { name: 'Look up' }).click()
    await expect(panel.getByRole('row', { name: /Lead qualification.*\$120\.00/ })).toBeVisible()
    await look(page, 'sellers')
    await panel.getByRole('button', { name: /^Evidence/ }).click()
    const evidence = page.getByRole('dialog', { name: /^Evidence/ })
    await expect(evidence.getByLabel('Evidence', { exact: true })).toHaveValue('They use it each day.')
    await look(page, 'evidence')
    await evidence.getByRole('checkbox').check()
    await evidence.getByLabel('Reason').fill('the seller asked for it')
    await evidence.getByRole('button', { name: 'Send to the bank' }).click()
    await expect(page.getByText('The evidence was sent to the bank')).toBeVisible()
    await expect(panel.getByText('evidence sent')).toBeVisible()
    await expect(panel.getByRole('button', { name: /^Evidence/ })).toHaveCount(0)
  })

  await test.step('a sale is refunded in part, and says what is left', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Sellers' })
    await panel.getByRole('button', { name: 'Refund Invoice reminders' }).click()
    const refund = page.getByRole('dialog', { name: 'Refund this payment' })
    await refund.getByLabel('Amount in USD').fill('20')
    await look(page, 'refund-sale')
    await refund.getByLabel('Reason').fill('half of it did not work')
    await refund.getByRole('button', { name: 'Refund $20' }).click()
    await expect(panel.getByText('$20.00 refunded').first()).toBeVisible()
    await panel.getByRole('button', { name: 'Refund Invoice reminders' }).click()
    await expect(refund.getByLabel('Amount in USD')).toHaveValue('30.00')
    await refund.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('disputes, by deadline', async () => {
    const panel = await list(page, 'Disputes', 'List open disputes')
    await expect(panel.getByRole('region', { name: 'Disputed payments' }).getByRole('row')).not.toHaveCount(0)
    await look(page, 'disputes')
  })

  await test.step('money that nothing explains is booked from the books, which agree with the provider', async () => {
    const panel = await list(page, 'Books', 'Show the books')
    const row = panel
      .getByRole('region', { name: 'Money that nothing explains' })
      .getByRole('row', { name: /\$7\.00/ })
      .first()
    await expect(row).toBeVisible()
    await panel.getByRole('button', { name: 'Compare now' }).click()
    await expect(page.getByText('A comparison was started')).toBeVisible()
    await expect(async () => {
      await panel.getByRole('button', { name: 'Show the books' }).click()
      await expect(panel.getByText(/^Last compared/)).toBeVisible({ timeout: 3_000 })
    }).toPass(swept)
    await look(page, 'books')
    await row.getByRole('button', { name: /^Book it/ }).click()
    const book = page.getByRole('dialog', { name: 'Book what this was' })
    await look(page, 'book-it')
    await book.getByLabel('Reason').fill('they paid by hand')
    await book.getByRole('button', { name: 'Book it' }).click()
    await expect(panel.getByText('Booked as subscription revenue').first()).toBeVisible()
  })

  await test.step('what waits, each with its tab', async () => {
    const panel = await list(page, 'Waiting', 'List what waits')
    await expect(panel.getByText(/A payment of .+ is disputed|Nothing waits/).first()).toBeVisible()
    await look(page, 'waiting')
  })

  await test.step('the month is read, and its journal saved, for the bookkeeper', async () => {
    const panel = await list(page, 'Months', 'Show the month')
    await expect(panel.getByRole('region', { name: 'Accounts' }).getByRole('row', { name: /Provider balance/i })).toBeVisible()
    await look(page, 'months')
    for (const [format, ending] of [
      ['csv', /^journal-\d{4}-\d\d\.csv$/],
      ['ledger', /^journal-\d{4}-\d\d\.journal$/],
    ] as const) {
      await panel.getByLabel('Journal as').selectOption(format)
      const saved = page.waitForEvent('download')
      await panel.getByRole('button', { name: 'Download journal' }).click()
      expect((await saved).suggestedFilename()).toMatch(ending)
    }
  })

  await test.step('each figure opens the accounts that it counts', async () => {
    const panel = await list(page, 'Figures', 'Show the figures')
    await expect(panel.getByText(/^Counted /)).toBeVisible()
    await look(page, 'figures')
    await panel.getByRole('button', { name: /^Trials\s*Running now/ }).click()
    const rows = page.getByRole('dialog', { name: 'Trials' })
    await expect(rows.getByText(/, trialing, /).first()).toBeVisible()
    await look(page, 'figure-rows')
    await rows.getByRole('button', { name: 'Close' }).click()
  })

  await test.step('a promotion code is made, used by nobody, and ended', async () => {
    const code = `E2E${Date.now().toString(36).toUpperCase()}`
    const panel = await list(page, 'Codes', 'List codes')
    await panel.getByRole('button', { name: 'New code' }).click()
    const made = page.getByRole('dialog', { name: 'New promotion code' })
    await made.getByLabel('Code').fill(code)
    await made.getByLabel('Discount').fill('20')
    await look(page, 'new-code')
    await made.getByLabel('Reason').fill('spring')
    await made.getByRole('button', { name: 'Create code' }).click()
    const row = panel.getByRole('row', { name: new RegExp(code) })
    await expect(row).toBeVisible()
    await look(page, 'codes')
    await row.getByRole('button', { name: /^End/ }).click()
    const end = page.getByRole('dialog', { name: /End/ })
    await end.getByLabel('Reason').fill('spring is over')
    await end.getByRole('button', { name: /^End/ }).click()
    await expect(row).toContainText(/ended/i)
  })

  await test.step('credit is given and a plan ended, after saying what that does', async () => {
    const email = newEmail()
    const user = await newTrial(request, email)
    await page.getByRole('tab', { name: 'Account' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Account' })
    await panel.getByRole('textbox', { name: 'Account' }).fill(email)
    await panel.getByRole('textbox', { name: 'Reason' }).fill('they called')
    await panel.getByRole('button', { name: 'Look up' }).click()
    await panel.getByRole('button', { name: 'Give credit' }).click()
    const credit = page.getByRole('dialog', { name: 'Give credit' })
    await credit.getByLabel('Amount in USD').fill('15')
    await look(page, 'credit')
    await credit.getByLabel('Reason').fill('for the trouble')
    await credit.getByRole('button', { name: 'Credit $15.00' }).click()
    await expect(panel.getByRole('region', { name: 'Billing history' }).getByText(/\$15/).first()).toBeVisible()
    await panel.getByRole('button', { name: 'End plan' }).click()
    const end = page.getByRole('dialog', { name: 'End the plan' })
    await end.getByLabel('When').selectOption('now')
    await look(page, 'end-plan')
    await end.getByLabel('Reason').fill('asked by letter')
    await end.getByRole('button', { name: 'End it now' }).click()
    await expect(panel.getByText('canceled').first()).toBeVisible()
    expect((await call(request, user, 'check-subscription')).status).toBe('canceled')
    await look(page, 'account')
  })

  await test.step('an event that failed is replayed', async () => {
    const failing = { provider: 'stripe', kind: 'status', status: 500, match: 'GET /v1/charges', times: 0 }
    expect((await request.post('/sandbox/faults', { data: failing })).ok()).toBe(true)
    expect((await request.post(`${stripe}/v1/payment_intents`, { headers, form: unknown })).ok()).toBe(true)
    const panel = await list(page, 'Failed events', 'List failed events')
    await expect(async () => {
      await panel.getByRole('button', { name: 'List failed events' }).click()
      await expect(panel.getByRole('button', { name: /^Replay/ }).first()).toBeVisible({ timeout: 2_000 })
    }).toPass(swept)
    await look(page, 'failed-events')
    await request.delete('/sandbox/faults')
    await panel
      .getByRole('button', { name: /^Replay/ })
      .first()
      .click()
    const replay = page.getByRole('dialog', { name: /^Replay/ })
    await look(page, 'replay')
    await replay.getByLabel('Reason').fill('the provider is back')
    await expect(async () => {
      await replay.getByRole('button', { name: 'Replay', exact: true }).click()
      await expect(page.getByText(/^The event (was replayed|had been handled already)/)).toBeVisible({ timeout: 3_000 })
    }).toPass(swept)
  })

  await test.step('after a Friday its run is listed, and the log has every step', async () => {
    await later(request, seller.user.id, 7.2)
    await expect.poll(async () => (await call(request, seller, 'seller-balance')).balances[0].due_cents, swept).toBeGreaterThan(9_000)
    await later(request, seller.user.id, 7)
    await expect.poll(async () => (await call(request, seller, 'list-payouts')).payouts[0]?.status, swept).toMatch(/pending|paid/)
    const panel = await list(page, 'Payouts', 'List payout runs')
    await expect(panel.getByRole('region', { name: 'Payout runs' }).getByRole('row')).not.toHaveCount(0)
    await look(page, 'payouts')
    await page.getByRole('tab', { name: 'Log' }).click()
    const log = page.getByRole('region', { name: 'Staff actions' })
    for (const reason of ['they paid by hand', 'for the trouble', 'asked by letter', 'spring is over', 'half of it did not work'])
      await expect(log.getByRole('row', { name: reason }).first()).toBeVisible()
    await look(page, 'log')
  })
})
