import { createHmac, timingSafeEqual } from 'node:crypto'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import type { Vault } from '@operon/kit/vault'
import type { Config } from '../config.ts'
import { bytesOf, macOf, uuidOf } from '../orders/links.ts'
import type { MarketplaceDb } from '../schema.ts'
import { dropWhole, keeperOf, keepWhole, storeWhole } from './attachments.ts'
import { type Form, formOf } from './form.ts'
import type { Side } from './threads.ts'
import { write } from './write.ts'

type Raw = Parameters<Parameters<typeof serveRaw>[2]>
type Rt = Pick<Runtime<MarketplaceDb, Config>, 'vault' | 'config' | 'kit' | 'storage'>
/** Where mail comes in, and what the provider signs with. Null where letters can only be answered in the app. */
type Inbound = { domain: string; key: string }

/** Without mail settings of its own the sandbox plays the provider of mail in both directions. */
export function inboundOf({ vault, config }: Pick<Rt, 'vault' | 'config'>): Inbound | null {
  const { MAIL_INBOUND_DOMAIN: domain, MAIL_INBOUND_KEY: key, SMTP_URL } = config
  if (domain && key) return { domain, key }
  return SMTP_URL ? null : { domain: 'reply.operon.example', key: vault.derive('inbound mail').toString('hex') }
}

// Base 32 in lower case: programs change the case of an address, and 64 signs are all that there is before the @.
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const MAC = 14

/** The address that answers go to: it names the conversation and who answers, and nobody can make one for another. */
export function replyAddress(vault: Vault, { domain }: Inbound, threadId: string, side: Side): string {
  const said = Buffer.concat([bytesOf(threadId), Buffer.from([side === 'seller' ? 1 : 0])])
  return `reply+${base32(Buffer.concat([said, macOf(vault, 'reply address', said).subarray(0, MAC)]))}@${domain}`
}
function readReplyAddress(vault: Vault, address: string): { threadId: string; side: Side } | null {
  const named = /reply\+([a-z2-7]{40,60})@/i.exec(address)
  const given = named ? unbase32(named[1]!.toLowerCase()) : null
  if (given?.length !== 17 + MAC) return null
  const said = given.subarray(0, 17)
  if (!timingSafeEqual(macOf(vault, 'reply address', said).subarray(0, MAC), given.subarray(17))) return null
  return { threadId: uuidOf(said.subarray(0, 16)), side: said[16] === 1 ? 'seller' : 'buyer' }
}

/** Asked before an email is received. Its signature is a field that may stand behind the files, so it is checked once all of it is there. */
export function takingInbound(rt: Rt, request: Raw[3]): Inbound {
  const inbound = inboundOf(rt)
  if ((request.params as { provider: string }).provider !== 'mailgun' || !inbound) throw new DomainError('not_found')
  return inbound
}

const FRESH_MS = 15 * 60_000
const LONGEST = 5_000

/** Mailgun's route: its signature is over the time and a token; the recipient is the address that was answered to. */
export const takeMail =
  (rt: Rt) =>
  async (ctx: Ctx<MarketplaceDb>, body: unknown, reply: Raw[2], request: Raw[3]): Promise<unknown> => {
    const inbound = takingInbound(rt, request)
    const mail = await formOf(body, request.headers['content-type'])
    if (!isSigned(inbound.key, mail)) throw new DomainError('webhook_signature')
    const to = readReplyAddress(rt.vault, mail.get('recipient') ?? '')
    const text = textOf(mail)
    // Answered with success, so that the provider does not send again what will never fit.
    if (!to || !text || isAutomatic(mail)) return reply.send({ taken: false })
    const answer = { text, files: mail.files, mailId: mail.get('Message-Id') ?? mail.get('token')! }
    return reply.send({ taken: await takeAnswer(ctx, rt.storage, to, answer) })
  }

type To = { threadId: string; side: Side }
type Answer = { text: string; files: File[]; mailId: string }
async function takeAnswer(ctx: Ctx<MarketplaceDb>, storage: Rt['storage'], { threadId, side }: To, { text, files, mailId }: Answer) {
  const thread = await ctx.db.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst()
  if (!thread) return false
  const known = await ctx.db.selectFrom('thread_messages').select('id').where('mail_id', '=', mailId).executeTakeFirst()
  if (known) return true
  const keeper = await keeperOf(ctx.db, thread, side)
  const { stored, left } = await storeWhole(storage, keeper, files)
  try {
    const kept = await inTransaction(ctx.db, async (trx) => {
      const fileIds = await keepWhole(trx, keeper.owner, stored)
      await write(trx, thread, side, { text, mailId, fileIds, keeper: keeper.owner, filesLeft: left + stored.length - fileIds.length })
      return fileIds
    })
    const dropped = stored.filter(({ id }) => !kept.includes(id))
    await dropWhole(storage, dropped)
    return true
  } catch (error) {
    await dropWhole(storage, stored)
    if (error instanceof DomainError && (error.code === 'conflict' || error.code === 'too_many_messages')) return error.code === 'conflict'
    throw error
  }
}

function isSigned(key: string, mail: Form): boolean {
  const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) => mail.get(name) ?? '') as [string, string, string]
  const expected = createHmac('sha256', key)
    .update(timestamp + token)
    .digest()
  const given = Buffer.from(signature, 'hex')
  const isFresh = Math.abs(Number(timestamp) * 1000 - now()) < FRESH_MS
  return token.length > 0 && isFresh && given.length === expected.length && timingSafeEqual(given, expected)
}

/** The text of an answer without the email it quotes. An email of files alone says so. */
function textOf(mail: Form): string {
  const said = (mail.get('stripped-text') ?? mail.get('body-plain') ?? '').replaceAll('\r\n', '\n').trim().slice(0, LONGEST)
  return said || (mail.files.length ? 'Sent without words.' : '')
}

/** Two programs that answer each other would go on for ever. */
function isAutomatic(mail: Form): boolean {
  const headers = mail.get('message-headers') ?? ''
  return /"auto-submitted",\s*"(?!no")/i.test(headers) || /"(x-autoreply|x-autorespond)"/i.test(headers)
}

function base32(bytes: Buffer): string {
  let out = ''
  let value = 0
  let bits = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      out += LETTERS[(value >>> bits) & 31]
      value &= (1 << bits) - 1
    }
  }
  return bits ? out + LETTERS[(value << (5 - bits)) & 31] : out
}
function unbase32(text: string): Buffer {
  const bytes: number[] = []
  let value = 0
  let bits = 0
  for (const letter of text) {
    value = (value << 5) | LETTERS.indexOf(letter)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((value >>> bits) & 255)
    value &= (1 << bits) - 1
  }
  return Buffer.from(bytes)
}
