import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { SetupError } from '../config.ts'
import { DomainError } from '../errors.ts'
import { messageOf } from '../inbox.ts'
import type { Logger } from '../telemetry.ts'
import { checkKey } from './keys.ts'
import { asStream, meter } from './limit.ts'
import type { ObjectInfo, Storage } from './storage.ts'

/** `s3://key:secret@host:port/bucket?region=&ssl=`; AWS by a host of amazonaws.com. Each service keeps to a prefix of its own. */
function readS3Url(url: string) {
  const parsed = new URL(url.replace(/^s3:/, 'http:'))
  const bucket = parsed.pathname.slice(1).replace(/\/$/, '')
  if (!bucket) throw new SetupError('STORAGE_URL: names no bucket, as in s3://key:secret@host:port/bucket')
  const isAws = parsed.hostname.endsWith('.amazonaws.com')
  const scheme = parsed.searchParams.get('ssl') === 'false' ? 'http' : 'https'
  return {
    bucket,
    options: {
      region: parsed.searchParams.get('region') ?? 'us-east-1',
      ...(parsed.username && {
        credentials: { accessKeyId: decodeURIComponent(parsed.username), secretAccessKey: decodeURIComponent(parsed.password) },
      }),
      ...(!isAws && {
        endpoint: `${scheme}://${parsed.host}`,
        forcePathStyle: true,
        // Servers that do not know the newer checksums store the chunk marks as content.
        requestChecksumCalculation: 'WHEN_REQUIRED' as const,
        responseChecksumValidation: 'WHEN_REQUIRED' as const,
      }),
    },
  }
}

export async function createS3Storage(url: string, service: string, log: Logger): Promise<Omit<Storage, 'signedUrl'>> {
  const { bucket, options } = readS3Url(url)
  const client = new S3Client({ ...options, maxAttempts: 3 })
  const at = (key: string) => `${service}/${checkKey(key)}`
  await ensureBucket(client, bucket).catch((err) => log.warn({ err: messageOf(err), bucket }, 'the file store does not answer yet'))

  async function head(key: string): Promise<ObjectInfo | null> {
    try {
      const found = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: at(key) }))
      return infoOf(key, { ...found, Size: found.ContentLength })
    } catch (error) {
      if (isMissing(error)) return null
      throw readable(error)
    }
  }

  // All parts but the last are of 5 MiB at least; what does not fill one yet waits in an object of its own, named by where it begins.
  const tailKey = (key: string, id: string, from: number) =>
    `${at(key)}.~${createHash('sha256').update(id).digest('hex').slice(0, 16)}-${from}`

  async function tailOf(key: string, id: string, from: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0)
    const { Body } = await tried(client.send(new GetObjectCommand({ Bucket: bucket, Key: tailKey(key, id, from) })))
    return Buffer.from(await Body!.transformToByteArray()).subarray(0, length)
  }

  async function sendPart(key: string, id: string, number: number, Body: Buffer): Promise<string> {
    const part = { Bucket: bucket, Key: at(key), UploadId: id, PartNumber: number, Body }
    return (await tried(client.send(new UploadPartCommand(part)))).ETag!
  }

  async function dropTails(key: string, id: string, parts: Part[]) {
    for (let n = 0; n <= parts.length; n++) {
      const Key = tailKey(key, id, sizeOf(parts.slice(0, n)))
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key })).catch(() => {})
    }
  }

  return {
    async put(key, body, { contentType, maxBytes }) {
      const { through, seen } = meter(maxBytes)
      const source = asStream(body)
      // A multipart upload that fails is aborted, so the object appears whole or not at all.
      const upload = new Upload({
        client,
        params: { Bucket: bucket, Key: at(key), Body: source.pipe(through), ContentType: contentType },
        queueSize: 2,
        leavePartsOnError: false,
      })
      source.on('error', (error) => through.destroy(error))
      try {
        const { ETag } = await upload.done()
        return { key, size: seen.size, contentType, etag: ETag ?? '', modifiedAt: new Date() }
      } catch (error) {
        source.destroy()
        await upload.abort().catch(() => {})
        throw through.errored instanceof DomainError ? through.errored : readable(error)
      }
    },
    async get(key, range) {
      try {
        const found = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: at(key), ...(range && { Range: `bytes=${range.start}-${range.end ?? ''}` }) }),
        )
        const size = Number(/\/(\d+)$/.exec(found.ContentRange ?? '')?.[1] ?? found.ContentLength)
        return { info: infoOf(key, { ...found, Size: size }), body: found.Body as Readable }
      } catch (error) {
        throw isMissing(error) ? new DomainError('not_found') : readable(error)
      }
    },
    head,
    async delete(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: at(key) })).catch((error) => {
        if (!isMissing(error)) throw readable(error)
      })
    },
    async begin(key, contentType) {
      const { UploadId } = await tried(
        client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: at(key), ContentType: contentType })),
      )
      return JSON.stringify({ id: UploadId!, parts: [] } satisfies Pieces)
    },
    async append(key, state, offset, piece) {
      const { id, parts } = JSON.parse(state) as Pieces
      const from = sizeOf(parts)
      const rest = Buffer.concat([await tailOf(key, id, from, offset - from), piece])
      if (rest.length < PART_BYTES) {
        await tried(client.send(new PutObjectCommand({ Bucket: bucket, Key: tailKey(key, id, from), Body: rest })))
        return state
      }
      const etag = await sendPart(key, id, parts.length + 1, rest)
      return JSON.stringify({ id, parts: [...parts, { etag, size: rest.length }] } satisfies Pieces)
    },
    async finish(key, state, size, contentType) {
      const { id, parts } = JSON.parse(state) as Pieces
      const from = sizeOf(parts)
      const rest = await tailOf(key, id, from, size - from)
      const all = rest.length || !parts.length ? [...parts, { etag: '', size: rest.length }] : parts
      if (all.length === 1 && from === 0) {
        await tried(client.send(new PutObjectCommand({ Bucket: bucket, Key: at(key), Body: rest, ContentType: contentType })))
      } else {
        if (rest.length) all[all.length - 1]!.etag = await sendPart(key, id, all.length, rest)
        const Parts = all.map(({ etag }, n) => ({ ETag: etag, PartNumber: n + 1 }))
        const done = { Bucket: bucket, Key: at(key), UploadId: id, MultipartUpload: { Parts } }
        try {
          await client.send(new CompleteMultipartUploadCommand(done))
        } catch (error) {
          // Finished before, by a try whose answer was lost.
          if ((await head(key))?.size !== size) throw readable(error)
        }
      }
      await dropTails(key, id, parts)
      return (await head(key))!
    },
    async abandon(key, state) {
      const { id, parts } = JSON.parse(state) as Pieces
      await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: at(key), UploadId: id })).catch(() => {})
      await dropTails(key, id, parts)
    },
    async list(prefix, limit = 1000) {
      if (prefix) checkKey(prefix.replace(/\/$/, ''))
      const keys: string[] = []
      let next: string | undefined
      do {
        const page = await client
          .send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${service}/${prefix}`, ContinuationToken: next }))
          .catch((error) => {
            throw readable(error)
          })
        keys.push(...(page.Contents ?? []).map(({ Key }) => Key!.slice(service.length + 1)).filter((key) => !key.includes('~')))
        next = page.NextContinuationToken
      } while (next && keys.length < limit)
      const infos: ObjectInfo[] = []
      // A listing has no content types, so each is asked for, a few at a time.
      const wanted = keys.sort().slice(0, limit)
      for (let i = 0; i < wanted.length; i += 16)
        for (const info of await Promise.all(wanted.slice(i, i + 16).map((key) => head(key)))) if (info) infos.push(info)
      return infos
    },
    ready: () =>
      ensureBucket(client, bucket).then(
        () => true,
        () => false,
      ),
  }
}

const PART_BYTES = 5 * 1024 * 1024
type Part = { etag: string; size: number }
type Pieces = { id: string; parts: Part[] }
const sizeOf = (parts: Part[]) => parts.reduce((sum, { size }) => sum + size, 0)
const tried = <T>(call: Promise<T>): Promise<T> =>
  call.catch((error) => {
    throw readable(error)
  })

type Found = { ContentType?: string | undefined; ETag?: string | undefined; LastModified?: Date | undefined; Size?: number | undefined }
const infoOf = (key: string, { ContentType, ETag, LastModified, Size }: Found): ObjectInfo => ({
  key,
  size: Size ?? 0,
  contentType: ContentType ?? 'application/octet-stream',
  etag: ETag ?? '',
  modifiedAt: LastModified ?? new Date(0),
})

async function ensureBucket(client: S3Client, bucket: string): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }))
  } catch (error) {
    if (!isMissing(error)) throw error
    await client.send(new CreateBucketCommand({ Bucket: bucket })).catch((created) => {
      // Another service was faster.
      if (!/BucketAlready/.test((created as Error).name)) throw created
    })
  }
}

const isMissing = (error: unknown) =>
  error instanceof S3ServiceException &&
  (error.$metadata.httpStatusCode === 404 || ['NoSuchKey', 'NotFound', 'NoSuchBucket'].includes(error.name))

function readable(error: unknown): unknown {
  if (error instanceof DomainError) return error
  return new DomainError('unavailable', { cause: error })
}
