import type { credentialShape } from '@operon/contracts/identity/passkeys'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { z } from 'zod'
import { type Deps, refuse } from '../deps.ts'

export type Credential = z.output<typeof credentialShape>
/** The stored part of a device's key. */
export type Kept = { credential_id: string; public_key: Uint8Array; counter: number; transports: string[] }

export const CHALLENGE_SECONDS = 300
/** EdDSA, ES256, RS256: what devices have. The library's own list asks Node for algorithms that it only tries out, with a warning each start. */
const ALGORITHMS = [-8, -7, -257]

/** Loaded when the first device comes: a process at rest is 11 MB smaller without it. */
const library = () => import('@simplewebauthn/server')

/** Whom a device makes its key for: the address of this installation, whatever a caller names. */
function relyingParty({ rt }: Deps) {
  const home = new URL(rt.kit.PUBLIC_URL)
  return { rpID: home.hostname, origin: home.origin, rpName: rt.kit.PRODUCT_NAME }
}

type Owner = { id: string; email: string | null; phone: string | null }

export async function creationOptions(deps: Deps, { id, email, phone }: Owner, known: Kept[], as: 'passkey' | 'factor') {
  const { rpID, rpName } = relyingParty(deps)
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpID,
    rpName,
    userID: new TextEncoder().encode(id),
    userName: email ?? phone ?? id,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
    authenticatorSelection:
      as === 'passkey'
        ? { residentKey: 'required', userVerification: 'required' }
        : { residentKey: 'discouraged', userVerification: 'preferred' },
    timeout: CHALLENGE_SECONDS * 1000,
  })
}

/** Without a key: whichever passkey of this installation the person chooses. */
export async function requestOptions(deps: Deps, key?: Kept) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: relyingParty(deps).rpID,
    ...(key && { allowCredentials: [{ id: key.credential_id, transports: key.transports }] }),
    userVerification: key ? 'preferred' : 'required',
    timeout: CHALLENGE_SECONDS * 1000,
  })
}

export async function readNewKey(deps: Deps, challenge: string, credential: Credential, requireUserVerification: boolean): Promise<Kept> {
  const { rpID, origin } = relyingParty(deps)
  const { verifyRegistrationResponse } = await library()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: credential as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    supportedAlgorithmIDs: ALGORITHMS,
    requireUserVerification,
  }).catch((error: Error) => {
    throw notVerified(error.message)
  })
  if (!verified) throw notVerified('the signature does not fit')
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return { credential_id: id, public_key: publicKey, counter, transports }
}

/** The counter of the key after this use. One that went back belongs to a copy of the device. */
export async function checkAnswer(deps: Deps, challenge: string, credential: Credential, key: Kept, requireUserVerification: boolean) {
  const { rpID, origin } = relyingParty(deps)
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: credential as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: {
      id: key.credential_id,
      publicKey: new Uint8Array(key.public_key),
      counter: Number(key.counter),
      transports: key.transports,
    },
    requireUserVerification,
  }).catch((error: Error) => {
    throw notVerified(error.message)
  })
  if (!verified) throw notVerified('the signature does not fit')
  return authenticationInfo.newCounter
}

export const notVerified = (why: string) =>
  refuse(400, 'webauthn_verification_failed', `The answer of the device was not accepted: ${why.slice(0, 200)}`)
