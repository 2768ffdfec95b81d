import type { Page } from '@playwright/test'

/** `E2E_SHOTS=shots` keeps the screens of a walk in a folder of its own, numbered, dark and light, wide and narrow. */
export function shotsOf(walk: string, whole = true) {
  const folder = process.env.E2E_SHOTS && `${process.env.E2E_SHOTS}/${walk}`
  let count = 0
  return async (page: Page, name: string, { fullPage = whole, themes = ['dark', 'light'] } = {}) => {
    if (!folder) return
    count++
    const size = page.viewportSize()!
    for (const theme of themes)
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate((value) => document.documentElement.setAttribute('data-theme', value), theme)
        await page.screenshot({ path: `${folder}/${String(count).padStart(2, '0')}-${name}-${theme}-${width}.png`, fullPage })
      }
    await page.evaluate(() => document.documentElement.removeAttribute('data-theme'))
    await page.setViewportSize(size)
  }
}
