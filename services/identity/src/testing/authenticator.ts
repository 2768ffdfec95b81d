import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

const forgedSignature = () => new Uint8Array(sign('sha256', randomBytes(32), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey))

type Asked = { challenge: string; rp?: { id?: string }; rpId?: string }
/** `forged`: a new key comes with a signature that it never made. `id`: the answer names another key than the one that signed. */
type As = { origin?: string; verified?: boolean; counter?: number; forged?: boolean; id?: string }

/** A device with one key, as a browser would speak for it. */
export function newAuthenticator(home = 'http://localhost:8080') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let uses = 0

  const data = (rpId: string, { verified = true, counter = ++uses }: As, more?: Buffer) => {
    const head = Buffer.alloc(5)
    head[0] = 1 | (verified ? 4 : 0) | (more ? 0x40 : 0)
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rpId), head, more ?? Buffer.alloc(0)])
  }
  const client = (type: string, challenge: string, origin = home) =>
    Buffer.from(JSON.stringify({ type: `webauthn.${type}`, challenge, origin, crossOrigin: false }))
  const credential = (response: Record<string, string | string[]>, name = id.toString('base64url')) => ({
    id: name,
    rawId: name,
    type: 'public-key' as const,
    clientExtensionResults: {},
    response,
  })

  return {
    create(asked: Asked, as: As = {}) {
      const bytes = (text?: string) => new Uint8Array(Buffer.from(text!, 'base64url'))
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]),
      )
      const made = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const authData = new Uint8Array(data(asked.rp!.id!, { counter: 0, ...as }, made))
      const attestation = isoCBOR.encode(
        new Map<string, any>([
          ['fmt', as.forged ? 'packed' : 'none'],
          [
            'attStmt',
            new Map<string, number | Uint8Array>(
              as.forged
                ? [
                    ['alg', -7],
                    ['sig', forgedSignature()],
                  ]
                : [],
            ),
          ],
          ['authData', authData],
        ]),
      )
      return credential({
        clientDataJSON: client('create', asked.challenge, as.origin).toString('base64url'),
        attestationObject: Buffer.from(attestation).toString('base64url'),
        transports: ['internal'],
      })
    },
    get(asked: Asked, as: As = {}) {
      const authenticatorData = data(asked.rpId!, as)
      const clientData = client('get', asked.challenge, as.origin)
      const response = {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), privateKey).toString('base64url'),
      }
      return credential(response, as.id)
    },
  }
}
