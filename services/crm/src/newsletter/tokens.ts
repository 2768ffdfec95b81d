import { createHash, createHmac } from 'node:crypto'
import type { Vault } from '@operon/kit/vault'

type Purpose = 'confirm' | 'unsubscribe'

/** A link's token, made from an id of ours: a mail that is sent again carries the same, and no secret lies in a queue. */
export const tokenFor = (vault: Vault, purpose: Purpose, id: string): string =>
  createHmac('sha256', vault.derive('newsletter')).update(`${purpose} ${id}`).digest('base64url')

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')
