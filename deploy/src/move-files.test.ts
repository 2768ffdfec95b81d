import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileStorage } from '@operon/kit/storage/file'
import { createS3Storage } from '@operon/kit/storage/s3'
import { createLogger } from '@operon/kit/telemetry'
import { startS3 } from '@operon/kit/testing/servers'
import { afterAll, expect, test } from 'vitest'
import { moveFiles } from './move-files.ts'

const server = await startS3()
afterAll(() => server.stop())

test('the files of a folder are in the bucket with their types, a second run copies what is new, and only a bucket is a target', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'move-files-'))
  const media = await createFileStorage(join(folder, 'media'))
  const identity = await createFileStorage(join(folder, 'identity'))
  await media.put('images/a/1.png', Buffer.from('one'), { contentType: 'image/png' })
  await identity.put('exports/2.json', Buffer.from('{}'), { contentType: 'application/json' })
  expect(await moveFiles(folder, server.url)).toEqual({ files: 2, copied: 2 })

  const there = await createS3Storage(server.url, 'media', createLogger('silent'))
  const { info, body } = await there.get('images/a/1.png')
  expect(info).toMatchObject({ size: 3, contentType: 'image/png' })
  expect(Buffer.concat(await body.toArray()).toString()).toBe('one')

  await media.put('images/a/3.png', Buffer.from('three'), { contentType: 'image/png' })
  await identity.put('exports/2.json', Buffer.from('{"more":1}'), { contentType: 'application/json' })
  expect(await moveFiles(folder, server.url)).toEqual({ files: 3, copied: 2 })
  expect(await moveFiles(folder, server.url)).toEqual({ files: 3, copied: 0 })
  await expect(moveFiles(folder, 'file:')).rejects.toThrow(/^STORAGE_URL: /)
})
