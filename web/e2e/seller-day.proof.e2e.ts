import { call, enter, expect, newTrial, test } from './steps.ts'

const reader = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Mail' }

test('a newcomer imports a spreadsheet, emails a segment, sees it opened, is booked from another zone and finds it all on one timeline [spec-58] [spec-131] [spec-134] [spec-135]', async ({
  page,
  browser,
}) => {
  test.setTimeout(150_000)
  const session = await newTrial(page.request)
  const mark = Date.now().toString(36)
  const [ines, tom, other] = ['ines', 'tom', 'other'].map((name) => `${name}-${mark}@example.com`)
  const sheet = `Name,E-mail,Tags\nInes Ortega,${ines},regular\nTom Reed,${tom},regular\nPat Vale,${other},\n`
  const link = await call(page.request, session, 'create-event-type', {
    ...{
      title: 'First call',
      slug: 'first-call',
      minutes: 30,
      place_kind: 'link',
      place: 'https://meet.example/ann',
      zone: 'Europe/Berlin',
    },
  })
  await call(page.request, session, 'save-sender', { provider: 'sandbox', name: 'Harbour Cafe', email: 'news@harbour.example' })
  await enter(page, session, '/dashboard/crm')

  await test.step('the spreadsheet', async () => {
    await page.getByRole('button', { name: 'Import' }).first().click()
    const importing = page.getByRole('dialog', { name: 'Import contacts' })
    await importing.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(sheet) })
    await importing.getByRole('button', { name: 'Check the file' }).click()
    await importing.getByRole('button', { name: 'Import 3 contacts' }).click()
    await expect(importing.getByText('3 added')).toBeVisible()
    await importing.getByRole('button', { name: 'Close' }).first().click()
  })
  await test.step('a campaign to a segment, and its opens as they happen', async () => {
    const text = 'The new menu is [here](https://menu.example/spring).'
    const { campaign_id } = await call(page.request, session, 'create-campaign', {
      name: 'Spring news',
      subject: 'New on the menu',
      text,
      tag: 'regular',
    })
    await page.goto(`/dashboard/email-studio?campaign=${campaign_id}`)
    await page.getByRole('button', { name: 'Review and send' }).click()
    const review = page.getByRole('dialog', { name: 'Review and send' })
    await review.getByRole('button', { name: 'Send to 2 recipients' }).click()
    await expect(page.getByText(/Finished .*: 2 emails went out/)).toBeVisible({ timeout: 30_000 })
    const { messages } = await (await page.request.get(`/sandbox/api/inbox?to=${encodeURIComponent(ines!)}`)).json()
    const pixel = /src="([^"]+\/mail\/open\/[^"]+)"/.exec(messages[0].html)![1]!
    const opened = page.locator('div', { has: page.getByText('Opened by people', { exact: true }) }).last()
    await expect(async () => {
      await page.request.get(pixel, { headers: reader })
      await expect(opened).toContainText('1 · 50%', { timeout: 2_500 })
    }).toPass({ timeout: 20_000 })
    const click = messages[0].links.find((each: string) => each.includes('/mail/click'))
    await page.request.get(click, { headers: reader, maxRedirects: 0 })
  })
  await test.step('the booking link, in another browser in Tokyo', async () => {
    const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', baseURL: new URL(page.url()).origin })
    const visitor = await context.newPage()
    await visitor.goto(new URL(link.url).pathname)
    await expect(visitor.getByLabel('Time zone')).toHaveValue('Asia/Tokyo')
    await visitor.getByRole('listitem').getByRole('button').last().click()
    await visitor.getByLabel('Your name').fill('Ines Ortega')
    await visitor.getByLabel('Email').fill(ines!)
    await visitor.getByRole('button', { name: 'Book this time' }).click()
    await expect(visitor.getByRole('heading', { name: 'You are booked' })).toBeVisible()
    await context.close()
  })
  await test.step('who is hot, and why, on one timeline', async () => {
    await page.goto('/dashboard/crm')
    await page.getByRole('button', { name: 'Ines Ortega', exact: true }).click()
    const panel = page.getByRole('dialog', { name: 'Ines Ortega' })
    await expect(panel.getByText('Hot at 34 points')).toBeVisible({ timeout: 15_000 })
    const timeline = panel.getByRole('region', { name: 'Timeline' })
    for (const said of [/Booked First call/, /Opened Spring news/, /Clicked .* in Spring news/, /Was sent Spring news/])
      await expect(timeline.getByText(said).first()).toBeVisible()
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/day-contact.png` })
  })
  await test.step('the four figures', async () => {
    await page.goto('/dashboard')
    for (const [label, figure] of [
      ['Total Leads', '3'],
      ['Appointments', '1'],
      ['Email Campaigns', '1'],
      ['Emails Sent', '2'],
    ] as const)
      await expect(page.locator('div', { has: page.getByText(label, { exact: true }) }).last()).toContainText(figure, { timeout: 20_000 })
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/day-dashboard.png` })
  })
})
