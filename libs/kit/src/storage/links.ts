import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { now } from '../clock.ts'
import { DomainError } from '../errors.ts'
import { checkKey } from './keys.ts'
import type { ObjectInfo, Range, Storage } from './storage.ts'

type Link = {
  /** It is asked for anew each time it is opened, so nobody may keep a copy. */
  revocable?: true
  method: 'GET' | 'PUT'
  key: string
  expires: number
  downloadAs?: string | undefined
  contentType?: string | undefined
  maxBytes?: number | undefined
}
type LinkOptions = { app: FastifyInstance; service: string; publicUrl: string; secret: Buffer }
type Query = { expires?: string; name?: string; type?: string; max?: string; sig?: string }

/** Types that a browser may show; everything else is only ever downloaded. Nothing among them can run a script. */
const SHOWN = /^(image\/(png|jpeg|webp|gif|avif)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain)(;|$)/

/** Signed addresses for a service's files, and the route under `/files/v1/<service>/` that serves and takes them. */
export function addLinks(store: Omit<Storage, 'signedUrl'>, { app, service, publicUrl, secret }: LinkOptions): Storage {
  const sign = (link: Link) =>
    createHmac('sha256', secret)
      .update(
        JSON.stringify([
          service,
          link.method,
          link.key,
          link.expires,
          link.downloadAs ?? null,
          link.contentType ?? null,
          link.maxBytes ?? null,
        ]),
      )
      .digest('base64url')

  const storage: Storage = {
    ...store,
    signedUrl(key, { method = 'GET', expiresInS, downloadAs, contentType, maxBytes }) {
      const link: Link = {
        method,
        key: checkKey(key),
        expires: Math.ceil(now() / 1000) + expiresInS,
        downloadAs,
        contentType,
        maxBytes,
      }
      const query = new URLSearchParams({ expires: String(link.expires) })
      if (downloadAs !== undefined) query.set('name', downloadAs)
      if (contentType !== undefined) query.set('type', contentType)
      if (maxBytes !== undefined) query.set('max', String(maxBytes))
      query.set('sig', sign(link))
      return `${publicUrl}/files/v1/${service}/${key.split('/').map(encodeURIComponent).join('/')}?${query}`
    },
  }

  function verified(request: FastifyRequest, method: Link['method']): Link {
    const { expires, name, type, max, sig = '' } = request.query as Query
    const link: Link = {
      method,
      key: (request.params as { '*': string })['*'],
      expires: Number(expires),
      downloadAs: name,
      contentType: type,
      maxBytes: max === undefined ? undefined : Number(max),
    }
    const expected = Buffer.from(sign(link))
    const given = Buffer.from(String(sig))
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new DomainError('forbidden', { message: 'This link is not valid.' })
    if (!(link.expires * 1000 > now()))
      throw new DomainError('forbidden', { message: 'This link has expired.', details: { reason: 'expired' } })
    return link
  }

  app.register(async (scope) => {
    // Uploads reach the handler as a stream, whatever they say they are.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const url = `/files/v1/${service}/*`
    scope.route({ method: ['GET', 'HEAD'], url, handler: (request, reply) => download(storage, verified(request, 'GET'), request, reply) })
    scope.put(url, (request) => upload(storage, verified(request, 'PUT'), request))
  })
  return storage
}

export async function download(storage: Storage, link: Link, request: FastifyRequest, reply: FastifyReply) {
  const info = await storage.head(checkKey(link.key))
  if (!info) throw new DomainError('not_found')
  const shown = SHOWN.test(info.contentType) && link.downloadAs === undefined
  const range = rangeOf(request.headers.range, info.size)
  reply.headers({
    'content-type': info.contentType,
    'content-disposition': shown ? 'inline' : disposition(link.downloadAs ?? link.key.split('/').at(-1)!),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cache-control': link.revocable
      ? 'no-store'
      : `private, max-age=${Math.max(0, Math.min(3600, Math.floor(link.expires - now() / 1000)))}`,
    'accept-ranges': 'bytes',
    etag: info.etag,
    'last-modified': info.modifiedAt.toUTCString(),
  })
  if (request.headers['if-none-match'] === info.etag) return reply.code(304).send()
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${info.size}`).send()
  const ranged = range && (request.headers['if-range'] === undefined || request.headers['if-range'] === info.etag) ? range : undefined
  if (ranged) reply.code(206).header('content-range', `bytes ${ranged.start}-${ranged.end}/${info.size}`)
  reply.header('content-length', ranged ? ranged.end - ranged.start + 1 : info.size)
  if (request.method === 'HEAD') return reply.send()
  const { body } = await storage.get(link.key, ranged)
  return reply.send(body)
}

async function upload(storage: Storage, link: Link, request: FastifyRequest): Promise<Omit<ObjectInfo, 'modifiedAt'>> {
  const contentType = request.headers['content-type'] ?? 'application/octet-stream'
  if (link.contentType !== undefined && contentType !== link.contentType)
    throw new DomainError('invalid', { message: `This link takes ${link.contentType} only.` })
  if (Number(request.headers['content-length'] ?? 0) > (link.maxBytes ?? Number.POSITIVE_INFINITY)) throw new DomainError('too_large')
  const body = (request.body as Readable | undefined) ?? new Uint8Array()
  const { key, size, etag } = await storage.put(link.key, body, {
    contentType,
    ...(link.maxBytes !== undefined && { maxBytes: link.maxBytes }),
  })
  return { key, size, contentType, etag }
}

/** One range, as browsers and players ask for it; several at once are answered whole. */
function rangeOf(header: string | undefined, size: number): Required<Range> | 'unsatisfiable' | null {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (!asked || (!asked[1] && !asked[2])) return null
  const start = asked[1] ? Number(asked[1]) : Math.max(0, size - Number(asked[2]))
  const end = asked[1] && asked[2] ? Math.min(Number(asked[2]), size - 1) : size - 1
  return start >= size || end < start ? 'unsatisfiable' : { start, end }
}

function disposition(name: string): string {
  const plain = name.replace(/[^\w .()+-]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`
}
