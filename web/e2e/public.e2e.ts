import { get, type IncomingMessage } from 'node:http'
import { expect, expectAccessible, expectAllSound, fewAtATime, holdStill, linkTo, newEmail, test, wake } from './steps.ts'

const pages = [
  '/',
  '/get-started',
  '/auth',
  '/auth/seller',
  '/auth/buyer',
  '/forgot-password',
  '/pricing',
  '/terms-of-service',
  '/privacy-policy',
  '/security',
]
const aliases = ['/select-plan', '/business-info', '/thank-you', '/test-airtable', '/referrals', '/why-choose-us', '/path-to-6-7-figures']

for (const few of fewAtATime(pages))
  test(`${few.join(', ')}: accessible, fitting, logging nothing, in both themes, wide and on a phone`, { tag: '@proof' }, async ({
    page,
  }) => {
    await expectAllSound(page, few, async (path) => {
      expect((await page.goto(path))?.status()).toBe(200)
      await wake(page)
    })
  })

test('previews, phones and search engines find what they look for', async ({ page, baseURL }) => {
  await page.goto('/')
  await expect(page.locator('meta[property="og:image"]')).toHaveAttribute('content', `${baseURL}/og.png`)
  for (const [path, type] of [
    ['/og.png', 'image/png'],
    ['/apple-touch-icon.png', 'image/png'],
    ['/favicon.svg', 'image/svg+xml'],
    ['/robots.txt', 'text/plain'],
    ['/sitemap.xml', 'xml'],
  ] as const) {
    const answer = await page.request.get(path)
    expect([path, answer.status(), answer.headers()['content-type']]).toEqual([path, 200, expect.stringContaining(type)])
    if (path === '/sitemap.xml') expect(await answer.text()).toContain(`<loc>${baseURL}/get-started</loc>`)
  }
})

test('the landing page is there in one round trip: 14,600 bytes with its headers', async ({ baseURL }) => {
  const size = async () => {
    const response = await new Promise<IncomingMessage>((done, fail) =>
      get(`${baseURL}/`, { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } }, done).on('error', fail),
    )
    let bytes = response.rawHeaders.reduce((sum, each) => sum + each.length + 2, `HTTP/1.1 200 OK`.length + 4)
    for await (const chunk of response) bytes += chunk.length
    return bytes
  }
  // The first visitor gets the page before it is compressed as small as it can be.
  await expect.poll(size).toBeLessThanOrEqual(14_600)
})

test('the alias addresses show the landing view [spec-2]', async ({ page }) => {
  for (const path of aliases) {
    expect((await page.goto(path))?.status()).toBe(200)
    await expect(
      page.getByRole('button', { name: /Explore Features/ }).or(page.getByRole('link', { name: /Explore Features/ })),
    ).toBeVisible()
  }
})

test('the landing page has its header, anchors, sections and footer [spec-1] [spec-8]', async ({ page }) => {
  await page.goto('/')
  await wake(page)
  // The header stays, and the footer says whom to write to.
  await expect(page.getByRole('banner')).toHaveCSS('position', 'fixed')
  for (const address of [/^hello@/, /^support@/])
    await expect(page.getByRole('contentinfo').getByRole('link', { name: address })).toHaveAttribute('href', /^mailto:/)
  for (const name of ['Home', 'Features', 'Pricing', 'Marketplace', 'Resources', 'Contact Us'])
    await expect(page.getByRole('navigation', { name: 'Page' }).getByRole('link', { name, exact: true })).toBeVisible()
  const header = page.getByRole('banner')
  await expect(header.getByRole('link', { name: 'Login' })).toHaveAttribute('href', '/auth')
  await expect(header.getByRole('link', { name: 'Get Started' })).toHaveAttribute('href', '/get-started')
  await expect(page.locator('#features li')).toHaveCount(16)
  await expect(page.getByText('Why choose Operon')).toBeVisible()
  await page.getByRole('navigation', { name: 'Page' }).getByRole('link', { name: 'Pricing' }).click()
  await expect(page.locator('#pricing')).toBeInViewport()
  await expect(page.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy-policy')
  await expect(page.getByRole('link', { name: 'Terms of Service' })).toHaveAttribute('href', '/terms-of-service')
})

test('the landing plans carry their names, prices and allowances, and one trial length [spec-37] [spec-38]', async ({ page }) => {
  await page.goto('/')
  const pricing = page.locator('#pricing')
  await expect(pricing.locator('article').nth(0)).toContainText('Starter')
  await expect(pricing.locator('article').nth(0)).toContainText('$49')
  await expect(pricing.locator('article').nth(1)).toContainText('Most Popular')
  await expect(pricing.locator('article').nth(1)).toContainText('2,000-3,000 prompts')
  await expect(pricing.locator('article').nth(2)).toContainText('Contact us')
  await expect(page.getByText(/14.day/)).toHaveCount(0)
})

test('what is marketed is built, or said to be coming [spec-15]', async ({ page }) => {
  await page.goto('/')
  const feature = (name: string) => page.locator('#features li').filter({ has: page.getByRole('heading', { name, exact: true }) })
  for (const name of ['White-labeled workflow builder', 'Private community', 'Thousands of templates', 'Voice and chat agents'])
    await expect(feature(name)).toContainText('Coming')
  for (const name of [
    'AI image generation',
    'CRM integrations',
    'Calendar integrations',
    'Content creator',
    'AI assistant comparison',
    'Business and domain finder',
    'Email studio',
    'Personal AI assistant',
  ])
    await expect(feature(name)).not.toContainText('Coming')
  await expect(page.locator('#marketplace')).toContainText('Buyers browse and buy without registering.')
})

test('smooth anchors, and none where motion is not wanted [spec-1]', async ({ browser, page }) => {
  await page.goto('/')
  const behaviour = () => getComputedStyle(document.documentElement).scrollBehavior
  expect(await page.evaluate(behaviour)).toBe('auto')
  const moving = await (await browser.newContext({ reducedMotion: 'no-preference' })).newPage()
  await moving.goto('/')
  expect(await moving.evaluate(behaviour)).toBe('smooth')
  await moving.context().close()
})

test('an anchor is left again for another page, going back leads to where one stood, and a second press leads there again [spec-1]', async ({
  page,
}) => {
  const top = () => page.locator('#features').evaluate((section) => Math.round(section.getBoundingClientRect().top))
  const features = page.getByRole('navigation', { name: 'Page' }).getByRole('link', { name: 'Features' })
  await page.goto('/get-started')
  await wake(page)
  // The browser notes where one stands by a clock of its own, and would put it over the app's.
  await page.evaluate(() => (history.scrollRestoration = 'manual'))
  await features.click()
  await expect(page).toHaveURL(/#features$/)
  await expect.poll(top).toBeLessThan(100)
  const stood = await top()
  await page.getByRole('contentinfo').getByRole('link', { name: 'Plans compared' }).click()
  await expect(page.getByRole('heading', { name: 'Choose your plan' })).toBeVisible()
  expect(await page.evaluate(() => scrollY)).toBe(0)
  await page.goBack()
  await expect(page).toHaveURL(/#features$/)
  // Where the footer's link was pressed, not at the anchor.
  await expect.poll(top).toBeLessThan(stood - 500)
  await features.click()
  await expect.poll(top).toBe(stood)
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'How do you want to start?' })).toBeVisible()
})

test('the demo has four tabs, worked by keyboard, and leads to the portal [spec-4]', async ({ page }) => {
  await page.goto('/')
  await wake(page)
  const tabs = page.getByRole('tablist', { name: 'Product screens' })
  await tabs.getByRole('tab', { name: 'AI Dashboard' }).focus()
  for (const name of ['Workflow Builder', 'AI Assistant Lab', 'Voice Agents']) {
    await page.keyboard.press('ArrowRight')
    await expect(tabs.getByRole('tab', { name })).toHaveAttribute('aria-selected', 'true')
  }
  await expect(page.getByRole('link', { name: 'Try Free Demo' })).toHaveAttribute('href', '/auth')
})

test('claims are shown with the note that nobody verified them [spec-5] [spec-6]', async ({ page }) => {
  await page.goto('/')
  for (const value of ['10K+', '500K+', '$2M+', '99.9%', '150+', '24/7', 'SOC 2', 'GDPR', 'ISO 27001'])
    await expect(page.getByText(value, { exact: true }).first()).toBeVisible()
  await expect(page.getByText(/have not been independently verified/)).toBeVisible()
})

test.describe('the newsletter', () => {
  test.use({ allowed: [/410/] })
  test('is confirmed by the link in the mail, once, on a page that stands the policy it is sent with [spec-7]', async ({ page }) => {
    const email = newEmail()
    await page.goto('/')
    await wake(page)
    await page.getByLabel('Product news by email').fill(email)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await expect(page.getByText(/link in it confirms/)).toBeVisible()
    const link = await linkTo(page, email, 'newsletter-confirm')
    await page.goto(link)
    await expect(page.getByRole('heading', { name: 'Confirm your subscription' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Confirm' })).toHaveCSS('background-color', 'rgb(198, 242, 78)')
    await expectAccessible(page)
    // In the theme that the app was left in.
    await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(12, 14, 18)')
    await page.evaluate(() => localStorage.setItem('operon-theme', 'light'))
    await page.reload()
    await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(250, 250, 247)')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByText('You are on the list. Thank you for confirming.')).toBeVisible()
    await page.goto(link)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByRole('heading', { name: 'That did not work' })).toBeVisible()
  })
})

test.describe('an address that no mail reaches', () => {
  test.use({ allowed: [/400/] })
  test('is refused by the newsletter in words of its own [spec-7]', async ({ page }) => {
    await page.goto('/')
    await wake(page)
    await page.getByLabel('Product news by email').fill('mara@studio')
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await expect(page.getByText('Not subscribed. That is not a valid email address.')).toBeVisible()
  })
})

test('a press before the app has come is kept and given again', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/')
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
  await page.getByRole('dialog').getByRole('link', { name: 'Features' }).click()
  await expect(page.getByRole('dialog', { name: 'Menu' })).toBeHidden()
})

test('a phone that is turned with its menu open is left with a page that answers [spec-1]', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  await wake(page)
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
  await page.setViewportSize({ width: 844, height: 390 })
  await page.getByRole('navigation', { name: 'Page' }).getByRole('link', { name: 'Pricing' }).click()
  await expect(page.locator('#pricing')).toBeInViewport()
})

test('a small window has the menu, a large one the links: the edge is 768 px [spec-1] [spec-49]', async ({ page }) => {
  await page.goto('/')
  for (const [width, phone] of [
    [767, true],
    [768, false],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await expect(page.getByRole('button', { name: 'Menu' })).toBeVisible({ visible: phone })
    await expect(page.getByRole('navigation', { name: 'Page' })).toBeVisible({ visible: !phone })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
})

test('get started leads to both portals and to sign-in [spec-10]', async ({ page }) => {
  await page.goto('/get-started')
  const main = page.getByRole('main')
  await expect(main.getByRole('link', { name: /Seller/ })).toHaveAttribute('href', '/auth/seller')
  await expect(main.getByRole('link', { name: /Buyer/ })).toHaveAttribute('href', '/auth/buyer')
  await expect(main.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/auth')
})

test('the terms list their figures, the versions are shown [spec-13] [spec-16] [spec-37]', async ({ page }) => {
  await page.goto('/terms-of-service')
  for (const figure of ['$139', '$199', '$299', '$499', '$0.08', '$0.02', '$1 per month'])
    await expect(page.getByText(figure, { exact: false }).first()).toBeVisible()
  await expect(page.getByText(/Version 1\.0/)).toBeVisible()
})

test.describe('an unknown address', () => {
  test.use({ allowed: [/404/] })
  test('answers 404 and leads home [spec-14]', async ({ page }) => {
    expect((await page.goto('/no-such-page'))?.status()).toBe(404)
    await expect(page.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible()
    await page.getByRole('link', { name: 'Return to Home' }).click()
    await expect(page).toHaveURL(/\/$/)
    await expect(page.locator('#home')).toBeVisible()
  })
})

test.describe('scripts that do not come', () => {
  test.use({ allowed: [/ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to fetch/] })
  test('are said after a while, on a page of the app and on one that is read, with a link that loads it again', { tag: '@proof' }, async ({
    page,
  }) => {
    await page.route('**/assets/*.js', (route) => route.abort())
    for (const path of ['/dashboard', '/'] as const) {
      // Not the whole page: on a busy machine the line is there by then.
      await page.goto(path, { waitUntil: 'commit' })
      const line = page.getByText('This page has not loaded completely.')
      await expect(line).toBeHidden()
      await expect(line).toBeVisible({ timeout: 15_000 })
    }
    await page.unroute('**/assets/*.js')
    await page.getByRole('link', { name: 'Reload it' }).click()
    await wake(page)
    await expect(page.getByText('This page has not loaded completely.')).toHaveCount(0)
  })

  test('but for the first are said at once, after one reload; without a network that is the reason, and the page goes on by itself', async ({
    page,
    context,
  }) => {
    await page.route('**/assets/main-*.js', (route) => route.abort())
    let loads = 0
    page.on('load', () => loads++)
    await page.goto('/')
    await expect(async () => {
      await page.mouse.move(4, Math.random() * 40)
      expect(loads).toBe(2)
    }).toPass({ timeout: 15_000 })
    await expect(async () => {
      await page.mouse.move(4, Math.random() * 40)
      await expect(page.getByText('This page has not loaded completely.')).toBeVisible({ timeout: 500 })
    }).toPass({ timeout: 15_000 })
    expect(loads).toBe(2)

    await page.unroute('**/assets/main-*.js')
    await page.goto('/')
    await context.setOffline(true)
    await page.mouse.move(4, 4)
    await page.mouse.move(8, 8)
    await expect(page.getByText('You are offline. This page continues when your connection is back.')).toBeVisible()
    await context.setOffline(false)
    await wake(page)
    await expect(page.getByText(/^You are offline/)).toHaveCount(0)
    await context.setOffline(true)
    await expect(page.getByText(/^You are offline\. What you type stays here/)).toBeVisible()
    await context.setOffline(false)
  })
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })
  test('a public page is read whole, and one of the app says what it needs', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('heading', { name: 'Priced like a tool, not a team.' })).toBeVisible()
    await page.goto('/dashboard')
    await expect(page.locator('noscript p')).toContainText('needs JavaScript for this page')
  })
})

test('the public pages ask for no session code until it is needed', async ({ page }) => {
  // Chromium's headless shell moves a pointer of its own to the corner, as a sign of nobody.
  await page.addInitScript(() =>
    addEventListener('pointermove', (move) => move.clientX + move.clientY === 0 && move.stopImmediatePropagation(), true),
  )
  const scripts: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(new URL(request.url()).pathname))
  await page.goto('/', { waitUntil: 'networkidle' })
  expect(scripts).toHaveLength(1)
  await wake(page)
  await expect.poll(() => scripts.some((path) => path.includes('LandingPage'))).toBe(true)
  expect(scripts.some((path) => path.includes('backend'))).toBe(false)
})

test.describe('drawn beforehand', () => {
  // A storefront's frame, of a seller that is not there.
  test.use({ allowed: [/404/] })
  test('the styles that a page brings along are those of the whole sheet', async ({ page }) => {
    // Without its script a page stays as it was drawn.
    await page.route('**/assets/index-*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
    const looks = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('#root *')].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect()
          const { color, backgroundColor, borderTopWidth, font } = getComputedStyle(element)
          return [element.tagName, x, y, width, height, color, backgroundColor, borderTopWidth, font].join(' ')
        }),
      )
    for (const path of [...pages, '/marketplace/nobody']) {
      await page.goto(path)
      await page.evaluate(() => document.documentElement.classList.add('painted'))
      // A face that arrives between the two looks would make its words wider or narrower; a machine may lack the one of its own that stands in.
      await page.evaluate(() => Promise.allSettled([...document.fonts].map((face) => face.load())))
      await holdStill(page)
      const brought = await looks()
      await page.evaluate(async () => {
        const href = document.querySelector<HTMLMetaElement>('meta[name=styles]')!.content
        const sheet = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
        await new Promise((done) => {
          sheet.onload = done
          document.head.append(sheet)
        })
      })
      expect(await looks(), path).toEqual(brought)
    }
  })
})
