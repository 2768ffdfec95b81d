import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { newEmail, PASSWORD, startIdentity } from '../testing/platform.ts'

test('with a captcha configured, what strangers may do needs its token, and a verifier that is down lets nobody by', {
  timeout: 30_000,
}, async () => {
  const asked: Record<string, string>[] = []
  const verifier = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    asked.push(form)
    response.end(JSON.stringify(form.response === 'human' ? { success: true } : { success: false, 'error-codes': ['bot'] }))
  }).listen(0, '127.0.0.1')
  await once(verifier, 'listening')
  const platform = await startIdentity({
    AUTH_CAPTCHA_URL: `http://127.0.0.1:${(verifier.address() as AddressInfo).port}/siteverify`,
    AUTH_CAPTCHA_SECRET: 'shared',
  })
  const { auth } = platform.client()
  const email = newEmail()
  const tries = {
    'sign-up': (captchaToken?: string) => auth.signUp({ email: newEmail(), password: PASSWORD, options: { captchaToken } }),
    password: (captchaToken?: string) => auth.signInWithPassword({ email, password: PASSWORD, options: { captchaToken } }),
    recovery: (captchaToken?: string) => auth.resetPasswordForEmail(email, { captchaToken }),
    anonymous: (captchaToken?: string) => auth.signInAnonymously({ options: { captchaToken } }),
  }
  await auth.signUp({ email, password: PASSWORD, options: { captchaToken: 'human' } })
  expect(asked).toMatchObject([{ secret: 'shared', response: 'human', remoteip: expect.any(String) }])
  for (const [what, run] of Object.entries(tries)) {
    for (const token of [undefined, 'robot'])
      expect([what, token, (await run(token)).error]).toMatchObject([what, token, { status: 400, code: 'captcha_failed' }])
    expect([what, (await run('human')).error]).toEqual([what, null])
  }
  verifier.close()
  verifier.closeAllConnections()
  expect((await tries['sign-up']('human')).error).toMatchObject({ status: 500 })
  await platform.close()
})
