import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, newTrialSeller, test } from './steps.ts'

/** A room in which “Hey Jarvis” is said once in five seconds; the browser plays it as its microphone, over and over. */
function roomWithJarvis(): string {
  const rate = 16_000
  const wav = readFileSync(new URL('../src/features/voice/samples/hey-jarvis.wav', import.meta.url))
  const spoken = new Int16Array(wav.buffer, wav.byteOffset + 44, Math.floor((wav.length - 44) / 2))
  const sound = Int16Array.from({ length: 5 * rate }, (_, at) => (spoken[at - 2 * rate] ?? 0) + ((at * 7919) % 65) - 32)
  const head = Buffer.from(wav.subarray(0, 44))
  head.writeUInt32LE(36 + sound.byteLength, 4)
  head.writeUInt32LE(sound.byteLength, 40)
  const file = join(mkdtempSync(join(tmpdir(), 'operon-voice-')), 'room.wav')
  writeFileSync(file, Buffer.concat([head, Buffer.from(sound.buffer)]))
  return file
}

test.use({
  permissions: ['microphone'],
  launchOptions: {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${roomWithJarvis()}`,
      '--autoplay-policy=no-user-gesture-required',
    ],
  },
})

test('the wake word starts a recording, and nothing leaves the browser before it is heard [spec-128]', async ({ page }) => {
  await newTrialSeller(page, '/dashboard/voice-interface')
  await expect(page.getByLabel('Wake word', { exact: true }).getByRole('option')).toHaveText([
    'Hey Jarvis',
    'Hey Assistant',
    'Computer',
    'AI',
  ])
  await expect(page.getByLabel('Sensitivity')).toHaveValue('0.7')
  await page.getByLabel('Wake word', { exact: true }).selectOption('Computer')
  const sent: string[] = []
  page.on('request', (request) => void (request.method() === 'POST' && sent.push(new URL(request.url()).pathname)))
  await page.getByRole('switch', { name: 'Listen for the wake word' }).click()
  await expect(page.getByText('Say “Computer”, or press and speak')).toBeVisible({ timeout: 20_000 })
  // Two rounds of the room: another word is no reason to record.
  await page.waitForTimeout(10_000)
  await expect(page.getByText('Say “Computer”, or press and speak')).toBeVisible()
  expect(sent.filter((path) => path !== '/functions/v1/save-voice-settings')).toEqual([])
  await page.getByLabel('Wake word', { exact: true }).selectOption('Hey Jarvis')
  await expect(page.getByText(/^Listening, \d+ of 10 seconds/)).toBeVisible({ timeout: 20_000 })
  expect(sent.filter((path) => path !== '/functions/v1/save-voice-settings')).toEqual([])
  const heard = page.waitForRequest((request) => request.url().endsWith('/functions/v1/voice-to-text'))
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await heard
  await page.reload()
  await expect(page.getByRole('switch', { name: 'Listen for the wake word' })).toHaveAttribute('aria-checked', 'true')
})
