import { createHash } from 'node:crypto'
import { brotliCompress, brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type Call, send } from './call.ts'
import type { RawHeaders } from './headers.ts'
import { rangeOf } from './range.ts'

type Encoding = 'br' | 'gzip'
/** Bytes that never change while this process runs, with the same compressed. */
export type Asset = {
  body: Buffer
  type: string
  etag: string
  cache: string
  encoded: Partial<Record<Encoding, Buffer>>
  /** Compressed fast when the process started; the first who asks has it made as small as it gets, for those after. */
  hasty?: boolean
}

export function asset(body: Buffer, type: string, cache: string, encoded: Asset['encoded']): Asset {
  return { body, type, cache, encoded, etag: createHash('sha256').update(body).digest('base64url').slice(0, 22) }
}

/** For what is made when the process starts: fast rather than small. */
export function compressed(body: Buffer): Asset['encoded'] {
  return { br: brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }), gzip: gzipSync(body) }
}

export function squeeze(made: Asset) {
  if (!made.hasty) return
  made.hasty = false
  brotliCompress(made.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }, (failed, smaller) => {
    if (!failed) made.encoded.br = smaller
  })
}

export function sendAsset(call: Call, { body, type, etag, cache, encoded }: Asset, status = 200, extra: RawHeaders = []) {
  const { method, headers } = call.request
  const encoding = chosenEncoding(encoded, headers['accept-encoding'])
  const tag = encoding ? `"${etag}-${encoding}"` : `"${etag}"`
  const always = [...extra, 'etag', tag, 'cache-control', cache, 'vary', 'accept-encoding']
  if (status === 200 && isFresh(headers['if-none-match'], etag)) return send(call, 304, '', always)
  const bytes = encoding ? encoded[encoding]! : body
  const range = method === 'GET' && status === 200 && isSame(headers['if-range'], tag) ? rangeOf(headers.range, bytes.length) : null
  if (range === 'unsatisfiable') return send(call, 416, '', [...always, 'content-range', `bytes */${bytes.length}`])
  always.push('content-type', type, 'accept-ranges', 'bytes')
  if (encoding) always.push('content-encoding', encoding)
  if (!range) return send(call, status, bytes, always)
  const { from, to } = range
  send(call, 206, bytes.subarray(from, to + 1), [...always, 'content-range', `bytes ${from}-${to}/${bytes.length}`])
}

function chosenEncoding(encoded: Asset['encoded'], accepted: string | string[] | undefined): Encoding | null {
  if (typeof accepted !== 'string') return null
  const takes = (name: string) => new RegExp(`(?:^|[,\\s])${name}(?!\\s*;\\s*q=0(?:\\.0*)?(?:$|[,\\s]))`).test(accepted)
  if (encoded.br && takes('br')) return 'br'
  return encoded.gzip && takes('gzip') ? 'gzip' : null
}

const isFresh = (given: string | undefined, etag: string): boolean =>
  given !== undefined &&
  (given === '*' ||
    given.split(',').some(
      (one) =>
        one
          .trim()
          .replace(/^W\//, '')
          .replace(/"/g, '')
          .replace(/-(br|gzip)$/, '') === etag,
    ))

/** A part is of use only to who has the other parts of the same bytes. */
const isSame = (given: string | string[] | undefined, tag: string) => given === undefined || given === tag
