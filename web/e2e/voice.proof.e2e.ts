import { expect, newTrialSeller, test } from './steps.ts'

// A tone instead of a microphone.
test.use({
  launchOptions: {
    executablePath: process.env.CHROMIUM!,
    args: [
      '--no-sandbox',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
    ],
  },
})

test.describe('voice', () => {
  test.use({ permissions: ['microphone'] })

  test('a newcomer speaks, reads what was understood and how surely, hears the answer, and finds it in the history [spec-127] [spec-129]', async ({
    page,
  }) => {
    await newTrialSeller(page, '/dashboard/voice-interface')
    await expect(page.getByText('No commands yet')).toBeVisible()
    await expect(page.getByLabel('Response voice').getByRole('option')).toHaveText(['Alloy', 'Echo', 'Fable', 'Onyx', 'Nova', 'Shimmer'])
    await page.getByLabel('Response voice').selectOption('nova')
    const spoken = page.waitForRequest((request) => request.url().endsWith('/ai/v1/audio/speech'))
    await page.getByRole('button', { name: 'Start recording' }).click()
    await expect(page.getByText(/^Listening, \d+ of 10 seconds/)).toBeVisible()
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await expect(page.getByText('The sandbox cannot hear words.').first()).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText(/^\d+% sure$/).first()).toBeVisible()
    expect((await spoken).postDataJSON()).toMatchObject({ voice: 'nova', model: 'tts-1' })
    await expect(page.getByRole('button', { name: 'Stop Speaking' })).toBeVisible({ timeout: 20_000 })
    await page.getByRole('button', { name: 'Stop Speaking' }).click()
    await expect(page.getByRole('button', { name: 'Read aloud' }).first()).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Response voice')).toHaveValue('nova')
    await expect(page.getByText('The sandbox cannot hear words.')).toBeVisible()
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect(page.getByText('No commands yet')).toBeVisible()
  })
})

test.describe('voice without a microphone', () => {
  test.use({ permissions: [] })

  test('a refused microphone is said in the words of the specification [spec-127]', async ({ page }) => {
    await newTrialSeller(page, '/dashboard/voice-interface')
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = async () => {
        throw new DOMException('no', 'NotAllowedError')
      }
    })
    await page.getByRole('button', { name: 'Start recording' }).click()
    await expect(page.getByText('Microphone Access Denied')).toBeVisible()
    await expect(page.getByText('Please allow microphone access to use voice features.')).toBeVisible()
  })
})
