import { createHmac, timingSafeEqual } from 'node:crypto'
import { DomainError } from '@operon/kit/errors'
import type { Vault } from '@operon/kit/vault'

// The links in campaigns. Each is signed for one purpose and one recipient, so none can be made up or used for another.

export type Purpose = 'unsubscribe' | 'preferences' | 'open' | 'confirm'
type Keys = Pick<Vault, 'derive'>
const macOf = (vault: Keys, said: string) => createHmac('sha256', vault.derive('email-links')).update(said).digest('base64url')

export const tokenOf = (vault: Keys, purpose: Purpose, id: string): string => `${id}.${macOf(vault, `${purpose} ${id}`)}`

export function idIn(vault: Keys, purpose: Purpose, token: string): string {
  const [id = '', mac = ''] = token.split('.')
  if (!isSame(mac, macOf(vault, `${purpose} ${id}`))) throw new DomainError('mail_link')
  return id
}

/** The address stands in the token, under the signature: it leads to where the email led and nowhere else. */
export function clickToken(vault: Keys, id: string, url: string): string {
  const address = Buffer.from(url).toString('base64url')
  return `${id}.${address}.${macOf(vault, `click ${id} ${address}`)}`
}
export function clickIn(vault: Keys, token: string): { id: string; url: string } {
  const [id = '', address = '', mac = ''] = token.split('.')
  if (!isSame(mac, macOf(vault, `click ${id} ${address}`))) throw new DomainError('mail_link')
  return { id, url: Buffer.from(address, 'base64url').toString() }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const LONGEST_URL = 2_000
export type Links = { unsubscribe: string; preferences: string; pixel: string; track: (url: string) => string }
export const linksOf = (vault: Keys, home: string, recipientId: string): Links => ({
  unsubscribe: `${home}/mail/unsubscribe/${tokenOf(vault, 'unsubscribe', recipientId)}`,
  preferences: `${home}/mail/preferences/${tokenOf(vault, 'preferences', recipientId)}`,
  pixel: `${home}/mail/open/${tokenOf(vault, 'open', recipientId)}`,
  track: (url) =>
    /^https?:\/\//i.test(url) && url.length <= LONGEST_URL && !url.startsWith(`${home}/mail/`)
      ? `${home}/mail/click?token=${clickToken(vault, recipientId, url)}`
      : url,
})
