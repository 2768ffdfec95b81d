import { PASSKEY_REMOVED } from '@operon/contracts/identity/words'
import {
  createCredential,
  deserializeCredentialCreationOptions,
  deserializeCredentialRequestOptions,
  getCredential,
  serializeCredentialCreationResponse,
  serializeCredentialRequestResponse,
} from '@supabase/auth-js/dist/module/lib/webauthn.js'
import { knowsDevices } from './factors.ts'
import { loadBackend } from './session.ts'

// Ceremonies with a device: passkeys, and security keys as a second factor. Loaded when somebody may want one.

/** Why a device gave no answer, in words to show. */
class DeviceError extends Error {
  code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type Refusal = { name?: string; code?: string | undefined; message: string }

const tooLong = 'That took too long. Try again.'
const noAnswer = 'It was cancelled, or your device took too long. Nothing has changed.'
const tooSimple = 'That device cannot do this. Use one with a fingerprint, face or PIN check.'
const refused = 'Your device’s answer was not accepted. Try again, or use another way.'
// A browser does not tell a request that was closed by hand from one that waited too long.
const words: Record<string, string> = {
  NotAllowedError: noAnswer,
  AbortError: noAnswer,
  ConstraintError: tooSimple,
  NotSupportedError: tooSimple,
  SecurityError: 'This address cannot use passkeys or security keys. Open the site at its usual address.',
  OperationError: 'Your browser is still waiting for another passkey or security key. Close that window, then try again.',
  InvalidStateError: 'This device is already added to your account.',
  webauthn_credential_exists: 'This device is already added to an account here.',
  webauthn_challenge_expired: tooLong,
  webauthn_challenge_not_found: tooLong,
  mfa_challenge_expired: tooLong,
  webauthn_verification_failed: refused,
}

function said(error: Refusal | null | undefined): Error {
  if (error?.message === PASSKEY_REMOVED) return new DeviceError('removed', PASSKEY_REMOVED)
  const name = error?.code && words[error.code] ? error.code : (error?.name ?? '')
  if (words[name]) return new DeviceError(name, words[name])
  // The server's own refusals are in words, and their codes say what to ask for next.
  if (error?.code && !error.code.startsWith('ERROR_')) return error as unknown as Error
  return new DeviceError('unknown', 'Your device could not do this. Try again, or use another one.')
}

function demandDevices() {
  if (!knowsDevices()) throw new DeviceError('unsupported', 'This browser does not support passkeys or security keys. Try another browser.')
}

export async function listPasskeys() {
  const { auth } = await loadBackend()
  const { data, error } = await auth.passkey.list()
  if (error) throw error
  return data
}

/** Adds the passkey that the device makes, under this name. */
export async function addPasskey(name: string): Promise<void> {
  demandDevices()
  const { auth } = await loadBackend()
  const begun = await auth.passkey.startRegistration()
  if (begun.error) throw said(begun.error)
  const made = await createCredential({ publicKey: deserializeCredentialCreationOptions(begun.data.options) })
  if (!made.data) throw said(made.error)
  const credential = serializeCredentialCreationResponse(made.data)
  const added = await auth.passkey.verifyRegistration({ challengeId: begun.data.challenge_id, credential })
  if (added.error) throw said(added.error)
  // The passkey works whatever becomes of its name.
  await auth.passkey.update({ passkeyId: added.data.id, friendlyName: name })
}

type Asking = { signal?: AbortSignal; mediation?: 'conditional'; onAnswer?: () => void; only?: string }

/**
 * Signs in with the passkey that the person chooses. `conditional` waits among the browser's suggestions; `onAnswer` runs once the device has
 * answered, before the session begins; `only` refuses the passkey of another account.
 */
export async function signInWithPasskey({ signal, mediation, onAnswer, only }: Asking = {}): Promise<void> {
  demandDevices()
  const { auth } = await loadBackend()
  const begun = await auth.passkey.startAuthentication()
  if (begun.error) throw said(begun.error)
  const publicKey = deserializeCredentialRequestOptions(begun.data.options)
  const answer = await getCredential({ publicKey, ...(signal && { signal }), ...(mediation && { mediation }) })
  if (!answer.data) throw said(answer.error)
  const credential = serializeCredentialRequestResponse(answer.data)
  if (only !== undefined && holderOf(credential.response.userHandle) !== only)
    throw new DeviceError('other_account', 'That passkey belongs to another account. Choose one of this account.')
  onAnswer?.()
  const signedIn = await auth.passkey.verifyAuthentication({ challengeId: begun.data.challenge_id, credential })
  if (signedIn.error) throw said(signedIn.error)
}

/** The server makes passkeys for the account's id. */
const holderOf = (handle: string | undefined) => handle && atob(handle.replaceAll('-', '+').replaceAll('_', '/'))

/** Whether the browser lists passkeys below a field, where it is asked to. */
export const suggestsPasskeys = async () => knowsDevices() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false)

/** Adds a security key as a second factor. One that was not touched leaves nothing behind. */
export async function addSecurityKey(name: string): Promise<void> {
  demandDevices()
  const { auth } = await loadBackend()
  const { data, error } = await auth.mfa.enroll({ factorType: 'webauthn', friendlyName: name })
  if (error) throw said(error)
  try {
    await proveSecurityKey(data.id)
  } catch (refusal) {
    await auth.mfa.unenroll({ factorId: data.id })
    throw refusal
  }
}

/** The touch of a security key: lifts this session to the second factor. */
export async function proveSecurityKey(factorId: string): Promise<void> {
  demandDevices()
  const { auth } = await loadBackend()
  const { error } = await auth.mfa.webauthn.authenticate({ factorId })
  if (error) throw said(error)
}
