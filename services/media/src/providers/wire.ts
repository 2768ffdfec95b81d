import type { ErrorCode } from '@operon/contracts/messages'
import { DomainError } from '@operon/kit/errors'

/** A request to a provider. */
export type Order = {
  model: string
  prompt: string
  width: number
  height: number
  seed: number | null
  /** The person behind it: told to the sandbox and to nobody else. */
  userId: string
  /** Pictures to start from, the first of them the one that is changed. */
  sources: Uint8Array[]
  /** As large as the first picture; what is transparent is drawn anew. */
  mask: Uint8Array | null
  /** The provider's id of this order, from an earlier try. */
  ref: string | null
}
export type Hears = {
  signal: AbortSignal
  /** A rough version of what is coming. */
  onPreview(image: Uint8Array, percent: number): void
  onPercent(percent: number): void
  /** Kept before the picture is waited for. */
  onRef(ref: string): Promise<void>
}
export type Drawn = { image: Uint8Array; seed: number | null; answeredBy: string }

export type Wire = {
  /** An order can be found again by its `ref`. Where it cannot, a picture that was made while its worker died is lost. */
  remembers: boolean
  takesSeed: boolean
  takesSource: boolean
  takesMask: boolean
  draw(order: Order, hears: Hears): Promise<Drawn>
  /** Where the provider can be told to stop. */
  cancel?(order: Order): Promise<void>
}
export type Place = { url: string; key: string; sandbox: boolean }

export const sandboxHeaders = ({ sandbox }: Place, userId: string): Record<string, string> =>
  sandbox ? { 'x-sandbox-account': userId } : {}

const problem = (code: ErrorCode, cause: unknown) => new DomainError(code, { cause })
/** Why a provider would not or could not; its words are for the log. */
export async function refusalOf(response: { status: number; text(): Promise<string> }): Promise<DomainError> {
  const said = (await response.text().catch(() => '')).slice(0, 500)
  const cause = new Error(`${response.status} ${said}`)
  const isRefusal = response.status === 400 && /moderation|safety|content_policy|policy|blocked/i.test(said)
  return problem(isRefusal ? 'image_refused' : 'image_failed', cause)
}
export const nothingDrawn = (why: string) => problem('image_empty', new Error(why))
export const brokenAnswer = (why: string) => problem('image_failed', new Error(why))

export function imageFrom(base64: unknown): Uint8Array {
  if (typeof base64 !== 'string' || base64 === '') throw nothingDrawn('no picture in the answer')
  return Buffer.from(base64, 'base64')
}
