import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SetupError } from '@operon/kit/config'
import { createFileStorage } from '@operon/kit/storage/file'
import { createS3Storage } from '@operon/kit/storage/s3'
import { createLogger } from '@operon/kit/telemetry'
import { exitWith, launcherEnv } from './launcher.ts'
import { say } from './log.ts'
import { checkEnv } from './services.ts'

/** Copies the files of a `file:` store into a bucket, for a platform that gets a second machine. What is there already is left, so a second run is short. */
export async function moveFiles(folder: string, bucket: string): Promise<{ files: number; copied: number }> {
  if (!bucket.startsWith('s3://'))
    throw new SetupError('STORAGE_URL: set the bucket that the files go to, s3://key:secret@host:port/bucket')
  if (!existsSync(folder)) throw new SetupError(`There is no ${folder}: name the folder of the files`)
  let files = 0
  let copied = 0
  for (const service of readdirSync(folder)) {
    const from = await createFileStorage(join(folder, service))
    const to = await createS3Storage(bucket, service, createLogger('error'))
    for (const { key, size, contentType, modifiedAt } of await from.list('', Number.POSITIVE_INFINITY)) {
      files++
      const there = await to.head(key)
      // Buckets tell whole seconds.
      if (there?.size === size && there.modifiedAt.getTime() >= modifiedAt.getTime() - 1000) continue
      await to.put(key, (await from.get(key)).body, { contentType })
      copied++
    }
  }
  return { files, copied }
}

async function main() {
  const { DATA_DIR, STORAGE_URL = '' } = checkEnv(launcherEnv(), [])
  const folder = resolve(process.argv[2] ?? join(DATA_DIR, 'storage'))
  const { files, copied } = await moveFiles(folder, STORAGE_URL)
  say(`${copied} of ${files} files were copied from ${folder}; the others were there already`)
}

if (import.meta.main) await main().then(() => process.exit(0), exitWith)
