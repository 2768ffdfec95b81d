import type { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { SetupError } from '../config.ts'
import { DomainError } from '../errors.ts'
import { messageOf } from '../inbox.ts'
import type { Logger } from '../telemetry.ts'
import { checkKey } from './keys.ts'
import { asStream, meter } from './limit.ts'
import type { ObjectInfo, Storage } from './storage.ts'

/** `s3://key:secret@host:port/bucket?region=&ssl=`; without a host it is AWS. Each service keeps to a prefix of its own. */
export function readS3Url(url: string) {
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
        keys.push(...(page.Contents ?? []).map(({ Key }) => Key!.slice(service.length + 1)))
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
