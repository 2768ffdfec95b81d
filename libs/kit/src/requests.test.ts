import { randomBytes } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { Actor } from './context.ts'
import { signRequest, verifyRequest } from './requests.ts'
import { Vault } from './vault.ts'

const vault = new Vault([randomBytes(32)])
const service: Actor = { kind: 'service' }
const sent = (request: object) => JSON.parse(JSON.stringify(request))

test('a signed request is good for what it asks and for nothing else', () => {
  const request = sent(signRequest(vault, 'identity.verification', { of: 1 }, service))
  expect(verifyRequest(vault, 'identity.verification', request)).toMatchObject({ input: { of: 1 }, actor: service })
  expect(() => verifyRequest(vault, 'billing.refund', request)).toThrow()
  expect(() => verifyRequest(vault, 'identity.verification', { ...request, input: { of: 2 } })).toThrow()
  expect(() => verifyRequest(vault, 'identity.verification', { ...request, actor: { kind: 'anonymous' } })).toThrow()
  expect(() => verifyRequest(vault, 'identity.verification', { ...request, at: request.at - 1 })).toThrow()
  expect(() => verifyRequest(new Vault([randomBytes(32)]), 'identity.verification', request)).toThrow()
  expect(() => verifyRequest(vault, 'identity.verification', { ...request, signature: '' })).toThrow()
})

test('a request that was kept for longer than clocks may differ is refused', () => {
  // Signed with the fleet's own key: its age alone is wrong.
  const signedAt = (agoMs: number) => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - agoMs)
    const request = signRequest(vault, 'a.b', {}, service)
    clock.mockRestore()
    return () => verifyRequest(vault, 'a.b', request)
  }
  expect(signedAt(3_600_000)).toThrow()
  expect(signedAt(-3_600_000)).toThrow()
  expect(signedAt(1000)).not.toThrow()
})
