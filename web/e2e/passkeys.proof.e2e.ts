import type { Page } from '@playwright/test'
import { call, enter, expect, expectSound, newAccount, newEmail, password, test, wake } from './steps.ts'

// Passkeys and security keys, with devices that Chromium plays.

type Device = 'passkey' | 'key'
const devices = {
  passkey: { transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  key: { transport: 'usb', hasResidentKey: false, hasUserVerification: false, isUserVerified: false },
} as const

async function plugIn(page: Page, kind: Device) {
  const browser = await page.context().newCDPSession(page)
  await browser.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', automaticPresenceSimulation: true, ...devices[kind] } as const
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', { options })
  return {
    /** The finger, face or PIN of its holder from now on, or somebody else's. */
    held: (isUserVerified: boolean) => browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** Its keys can be taken out and put back. */
    async takeOut() {
      const { credentials } = await browser.send('WebAuthn.getCredentials', { authenticatorId })
      await browser.send('WebAuthn.clearCredentials', { authenticatorId })
      return async () => {
        for (const credential of credentials) await browser.send('WebAuthn.addCredential', { authenticatorId, credential })
      }
    },
  }
}

/** A browser that lists no passkeys below a field: the device that Chromium plays would choose one by itself. */
const withoutSuggestions = (page: Page) =>
  page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })

async function settings(page: Page, section = 'security') {
  const email = newEmail()
  const session = await newAccount(page.request, { role: 'buyer', email })
  await enter(page, session, `/dashboard/settings?section=${section}`)
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  return { email, session }
}
const panel = (page: Page, name: string) => page.locator('section').filter({ has: page.getByRole('heading', { name }) })
const passkeysOf = (page: Page) => panel(page, 'Passkeys').getByRole('listitem')

async function addPasskey(page: Page) {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByText('Passkey added')).toBeVisible()
  await expect(passkeysOf(page)).toHaveText(/Chrome on Linux.*not used yet/)
}
async function addKey(page: Page, name = '') {
  await page.getByRole('button', { name: 'Add a security key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a security key' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Continue' }).click()
}
async function leave(page: Page) {
  await page.evaluate(() => localStorage.removeItem('operon-auth'))
  await page.goto('/auth/buyer')
  await wake(page)
}

/** The window of the browser is closed by hand. */
const closeWindow = (page: Page, what: 'get' | 'create') =>
  page.evaluate((name) => {
    const real = navigator.credentials[name].bind(navigator.credentials)
    navigator.credentials[name] = () => {
      navigator.credentials[name] = real
      return Promise.reject(new DOMException('The operation either timed out or was not allowed.', 'NotAllowedError'))
    }
  }, what)

test('a passkey is added and named, signs in without a password, and no longer once it is removed [spec-9]', async ({ page, allowed }) => {
  allowed.push(/400/)
  test.setTimeout(120_000)
  await withoutSuggestions(page)
  await plugIn(page, 'passkey')
  await settings(page)
  await expect(panel(page, 'Passkeys').getByText('No passkeys yet')).toBeVisible()
  await addPasskey(page)
  await page.getByRole('button', { name: 'Rename Chrome on Linux' }).click()
  const rename = page.getByRole('dialog', { name: 'Rename this passkey' })
  await expect(rename.getByLabel('Name')).toBeFocused()
  await page.keyboard.type('Office laptop')
  await page.keyboard.press('Enter')
  await expect(passkeysOf(page)).toHaveText(/Office laptop/)
  await expectSound(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  await leave(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL('**/buyer-dashboard')

  await page.goto('/dashboard/settings?section=security')
  await expect(passkeysOf(page)).toHaveText(/Office laptop.*last used/)
  await page.getByRole('button', { name: 'Remove Office laptop' }).click()
  await page.getByRole('dialog', { name: 'Remove Office laptop?' }).getByRole('button', { name: 'Remove' }).click()
  await expect(panel(page, 'Passkeys').getByText('No passkeys yet')).toBeVisible()
  await leave(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByText('This passkey was removed here.')).toBeVisible()
  await expect(page).toHaveURL(/\/auth\/buyer$/)
})

test('a passkey that the browser suggests at the email field signs in, once it is chosen [spec-9]', async ({ page }) => {
  await plugIn(page, 'passkey')
  const { session } = await settings(page)
  await addPasskey(page)
  await leave(page)
  await page.waitForURL('**/buyer-dashboard')
  expect(await page.evaluate(() => JSON.parse(localStorage.getItem('operon-auth')!).user.id)).toBe(session.user.id)
})

test('a security key is the second factor: a password alone stops at its challenge, and a step up asks for it [spec-9] [spec-32]', async ({
  page,
  allowed,
}) => {
  allowed.push(/401|403/)
  test.setTimeout(120_000)
  await plugIn(page, 'key')
  const { email } = await settings(page)
  await addKey(page, 'Blue key')
  await page.getByRole('dialog', { name: 'Your recovery codes' }).getByRole('button', { name: 'I have saved them' }).click()
  await expect(panel(page, 'Second factor').getByRole('listitem')).toHaveText(/Blue key/)
  await expectSound(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  await leave(page)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  const use = page.getByRole('button', { name: 'Use your security key' })
  await expect(use).toBeFocused()
  // Half signed in: a page of the account leads back here.
  await page.goto('/buyer-dashboard')
  await expect(use).toBeVisible()
  await expectSound(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await closeWindow(page, 'get')
  await use.click()
  await expect(page.getByText('It was cancelled, or your device took too long.')).toBeVisible()
  await use.click()
  await page.waitForURL('**/buyer-dashboard')

  await page.goto('/dashboard/settings?section=data')
  let asked = 0
  await page.route('**/functions/v1/account-export-begin', (route) =>
    asked++ ? route.continue() : route.fulfill({ status: 403, json: { code: 'aal2_required', detail: 'Confirm it is you to continue' } }),
  )
  await page.getByRole('button', { name: 'Export my data' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
  await expect(proof.getByLabel('Password')).toHaveCount(0)
  await proof.getByRole('button', { name: 'Use your security key' }).click()
  await expect(page.getByRole('list', { name: 'Exports' }).getByRole('listitem')).toHaveCount(1)
})

test('a passkey confirms that it is you; the passkey of another account does not, and changes nobody', async ({ page, allowed }) => {
  allowed.push(/403/)
  test.setTimeout(120_000)
  const device = await plugIn(page, 'passkey')
  await settings(page)
  await addPasskey(page)
  const putOthersBack = await device.takeOut()
  const { session } = await settings(page)
  await addPasskey(page)
  const putBack = await device.takeOut()

  await page.goto('/dashboard/settings?section=data')
  let asked = 0
  await page.route('**/functions/v1/account-export-begin', (route) =>
    asked++ ? route.continue() : route.fulfill({ status: 403, json: { code: 'aal2_required', detail: 'Confirm it is you to continue' } }),
  )
  await page.getByRole('button', { name: 'Export my data' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
  const use = proof.getByRole('button', { name: 'Use a passkey' })
  await expect(proof.getByLabel('Password', { exact: true })).toBeVisible()
  await putOthersBack()
  await use.click()
  await expect(proof.getByText('That passkey belongs to another account.')).toBeVisible()
  const holder = () => page.evaluate(() => JSON.parse(localStorage.getItem('operon-auth')!).user.id)
  expect(await holder()).toBe(session.user.id)
  await device.takeOut()
  await putBack()
  await use.click()
  await expect(page.getByRole('list', { name: 'Exports' }).getByRole('listitem')).toHaveCount(1)
  expect(await holder()).toBe(session.user.id)
})

test('what is cancelled says so and leaves nothing behind', async ({ page, allowed }) => {
  allowed.push(/400/)
  await withoutSuggestions(page)
  const device = await plugIn(page, 'passkey')
  const { session } = await settings(page)
  await device.held(false)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByText('It was cancelled, or your device took too long. Nothing has changed.')).toBeVisible()
  await expect(panel(page, 'Passkeys').getByText('No passkeys yet')).toBeVisible()
  // An open panel shows the messages that are up, and the next one has the same words.
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await closeWindow(page, 'create')
  await addKey(page)
  const dialog = page.getByRole('dialog', { name: 'Add a security key' })
  await expect(dialog.getByText('It was cancelled, or your device took too long. Nothing has changed.')).toBeVisible()
  const { user } = await call(page.request, session, 'account-export')
  expect(user.factors ?? []).toEqual([])

  await device.held(true)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await addPasskey(page)
  await device.held(false)
  await leave(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByText('It was cancelled, or your device took too long. Nothing has changed.')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('operon-auth'))).toBeNull()
})
