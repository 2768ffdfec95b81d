import { createHmac, randomBytes } from 'node:crypto'
import type { Vault } from '@operon/kit/vault'

// Standard Webhooks: https://www.standardwebhooks.com

const PREFIX = 'whsec_'
export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64')

export const sealSecret = (vault: Vault, endpointId: string, secret: string) => vault.seal(secret, contextOf(endpointId))
export const openSecret = (vault: Vault, endpointId: string, sealed: string) => vault.open(sealed, contextOf(endpointId))
const contextOf = (endpointId: string) => `webhook_endpoints:${endpointId}`

type Message = { id: string; at: Date; body: string }

/** The headers of a message, with one signature for each secret that is good now. */
export function signedHeaders(secrets: string[], { id, at, body }: Message): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000)
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${seconds}.${body}`)
      .digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  }
}
