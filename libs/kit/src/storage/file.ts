import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DomainError } from '../errors.ts'
import { checkKey } from './keys.ts'
import { asStream, meter } from './limit.ts'
import type { ObjectInfo, Storage } from './storage.ts'

type Meta = { size: number; contentType: string; etag: string; modifiedAt: string; data: string }
const META = '.~meta'

/**
 * Files in a folder. A body is written whole under a name of its own; the small file beside it that names it is what makes it visible,
 * so that a reader sees the old file or the new one.
 */
export async function createFileStorage(root: string): Promise<Omit<Storage, 'signedUrl'>> {
  await mkdir(root, { recursive: true })
  const at = (key: string) => join(root, checkKey(key))

  async function read(path: string): Promise<Meta | null> {
    try {
      return JSON.parse(await readFile(path + META, 'utf8'))
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
  }

  return {
    async put(key, body, { contentType, maxBytes }) {
      const path = at(key)
      const folder = dirname(path)
      await mkdir(folder, { recursive: true })
      const before = await read(path)
      const { through, seen, etag } = meter(maxBytes)
      const data = `${basename(key)}.~${randomBytes(6).toString('hex')}`
      const draft = `${join(folder, data)}.tmp`
      try {
        await pipeline(asStream(body), through, createWriteStream(draft, { flush: true, mode: 0o600 }))
        const meta: Meta = { size: seen.size, contentType, etag: etag(), modifiedAt: new Date().toISOString(), data }
        await writeFile(`${draft}.meta`, JSON.stringify(meta), { flush: true, mode: 0o600 })
        await rename(draft, join(folder, data))
        await rename(`${draft}.meta`, path + META)
        await sync(folder)
        if (before) await rm(join(folder, before.data), { force: true })
        return infoOf(key, meta)
      } catch (error) {
        await Promise.all([rm(draft, { force: true }), rm(`${draft}.meta`, { force: true })])
        throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new DomainError('storage_full', { cause: error }) : error
      }
    },
    async get(key, range) {
      const path = at(key)
      // Between reading the name and opening the file it may have been replaced: then the new name is there.
      for (let tries = 0; tries < 3; tries++) {
        const meta = await read(path)
        if (!meta) break
        const file = await open(join(dirname(path), meta.data)).catch((error) => {
          if (!isAbsent(error)) throw error
        })
        if (!file) continue
        if (meta.size === 0) {
          await file.close()
          return { info: infoOf(key, meta), body: Readable.from([]) }
        }
        const body = file.createReadStream(range ? { start: range.start, ...(range.end !== undefined && { end: range.end }) } : {})
        return { info: infoOf(key, meta), body }
      }
      throw new DomainError('not_found')
    },
    async head(key) {
      const meta = await read(at(key))
      return meta && infoOf(key, meta)
    },
    async delete(key) {
      const path = at(key)
      const meta = await read(path)
      if (!meta) return
      await rm(path + META, { force: true })
      await rm(join(dirname(path), meta.data), { force: true })
    },
    async begin(key) {
      const path = at(key)
      await mkdir(dirname(path), { recursive: true })
      const draft = `${basename(key)}.~${randomBytes(6).toString('hex')}`
      await writeFile(join(dirname(path), `${draft}.tmp`), '', { flush: true, mode: 0o600 })
      return draft
    },
    async append(key, state, offset, piece) {
      const file = await open(draftAt(at(key), state), 'r+')
      try {
        await file.truncate(offset)
        let written = 0
        while (written < piece.length) written += (await file.write(piece, written, piece.length - written, offset + written)).bytesWritten
        await file.sync()
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new DomainError('storage_full', { cause: error }) : error
      } finally {
        await file.close()
      }
      return state
    },
    async finish(key, state, size, contentType) {
      const path = at(key)
      const draft = draftAt(path, state)
      const folder = dirname(path)
      const before = await read(path)
      // Finished before, by a try whose answer was lost.
      if (before?.data === state) return infoOf(key, before)
      const hash = createHash('sha256')
      const file = await open(draft, 'r+')
      await file.truncate(size).finally(() => file.close())
      await pipeline(createReadStream(draft), hash)
      const etag = `"${hash.digest('base64url').slice(0, 27)}"`
      const meta: Meta = { size, contentType, etag, modifiedAt: new Date().toISOString(), data: state }
      await writeFile(`${draft}.meta`, JSON.stringify(meta), { flush: true, mode: 0o600 })
      await rename(draft, join(folder, state))
      await rename(`${draft}.meta`, path + META)
      await sync(folder)
      if (before) await rm(join(folder, before.data), { force: true })
      return infoOf(key, meta)
    },
    abandon: (key, state) => rm(draftAt(at(key), state), { force: true }),
    async list(prefix, limit = 1000) {
      if (prefix) checkKey(prefix.replace(/\/$/, ''))
      const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : ''
      const found: string[] = []
      await walk(root, folder, (key) => key.startsWith(prefix) && found.push(key))
      const infos: ObjectInfo[] = []
      // A few at a time: each that is read is an open file.
      const wanted = found.sort().slice(0, limit)
      for (let i = 0; i < wanted.length; i += 64) {
        const metas = await Promise.all(wanted.slice(i, i + 64).map(async (key) => ({ key, meta: await read(join(root, key)) })))
        infos.push(...metas.flatMap(({ key, meta }) => (meta ? [infoOf(key, meta)] : [])))
      }
      return infos
    },
    ready: () =>
      access(root).then(
        () => true,
        () => false,
      ),
  }
}

const draftAt = (path: string, state: string) => join(dirname(path), `${basename(state)}.tmp`)

const infoOf = (key: string, { size, contentType, etag, modifiedAt }: Meta): ObjectInfo => ({
  key,
  size,
  contentType,
  etag,
  modifiedAt: new Date(modifiedAt),
})

const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

async function sync(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

async function walk(root: string, folder: string, found: (key: string) => unknown): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return []
    throw error
  })
  for (const entry of entries) {
    const key = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.isDirectory()) await walk(root, key, found)
    else if (key.endsWith(META)) found(key.slice(0, -META.length))
  }
}
