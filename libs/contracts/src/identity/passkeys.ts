import { z } from 'zod'
import { endpoint, id, oneLine } from '../contract.ts'
import { json, sessionShape } from './shapes.ts'

// Signing in with a device's own key instead of a password, as the auth protocol has it.

const mine = { access: 'user', rate: 'auth', demo: 'never' } as const
const open = { access: 'public', rate: 'auth', demo: 'never' } as const

/** The answer of an authenticator, in the form of `PublicKeyCredential.toJSON()`. */
export const credentialShape = z.looseObject({
  id: z.string().max(1400),
  rawId: z.string().max(1400),
  type: z.literal('public-key'),
  response: z.record(z.string(), z.union([z.string().max(8000), z.array(z.string().max(40)).max(10), z.number(), z.null()])),
  clientExtensionResults: json.nullish(),
  authenticatorAttachment: z.string().max(40).nullish(),
})
const asked = z.object({ challenge_id: z.uuid(), options: json, expires_at: z.int() })
const answered = z.object({ challenge_id: z.uuid(), credential: credentialShape })
const passkey = z.object({ id: z.uuid(), friendly_name: z.string(), created_at: z.string(), last_used_at: z.string().nullish() })
const passkeyId = z.object({ passkey_id: id('passkey') })

export const beginPasskey = endpoint({
  method: 'POST',
  path: '/auth/v1/passkeys/registration/options',
  ...mine,
  summary: 'Begins to add a passkey: the options for navigator.credentials.create()',
  body: z.looseObject({}).nullish(),
  reply: asked,
})
export const addPasskey = endpoint({
  method: 'POST',
  path: '/auth/v1/passkeys/registration/verify',
  ...mine,
  summary: 'Adds the passkey that the device made',
  body: answered,
  reply: passkey,
})
export const askPasskey = endpoint({
  method: 'POST',
  path: '/auth/v1/passkeys/authentication/options',
  ...open,
  summary: 'Begins to sign in with a passkey: the options for navigator.credentials.get()',
  body: z.looseObject({}).nullish(),
  reply: asked,
})
export const signInWithPasskey = endpoint({
  method: 'POST',
  path: '/auth/v1/passkeys/authentication/verify',
  ...open,
  rate: 'auth-strict',
  summary: 'Signs in with what the device answered',
  body: answered,
  reply: sessionShape,
})
export const listPasskeys = endpoint({
  method: 'GET',
  path: '/auth/v1/passkeys',
  ...mine,
  demo: 'reads',
  summary: 'The passkeys of the account',
  reply: z.array(passkey),
})
export const renamePasskey = endpoint({
  method: 'PATCH',
  path: '/auth/v1/passkeys/:passkey_id',
  ...mine,
  summary: 'Names a passkey',
  params: passkeyId,
  body: z.object({ friendly_name: oneLine(120).min(1) }),
  reply: passkey,
})
export const removePasskey = endpoint({
  method: 'DELETE',
  path: '/auth/v1/passkeys/:passkey_id',
  ...mine,
  summary: 'Removes a passkey, which can no longer sign in',
  params: passkeyId,
  reply: z.object({}),
})
