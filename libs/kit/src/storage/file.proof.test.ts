import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFileStorage } from './file.ts'
import { storageSuite } from './storage.suite.ts'

async function openStore() {
  const root = await mkdtemp(join(tmpdir(), 'operon-files-'))
  return { root, store: await createFileStorage(root), close: () => rm(root, { recursive: true, force: true }) }
}

storageSuite('file:', openStore)

test('replacing and failing leave no stray files, and readers see the old file or the new one', async () => {
  const { root, store, close } = await openStore()
  await store.put('a/x.txt', Buffer.from('0'.repeat(1000)), { contentType: 'text/plain' })
  const seen = new Set<string>()
  const writes = (async () => {
    for (let i = 1; i <= 30; i++) await store.put('a/x.txt', Buffer.from(String(i % 10).repeat(1000 + i)), { contentType: 'text/plain' })
  })()
  let writing = true
  void writes.finally(() => {
    writing = false
  })
  while (writing) {
    const { info, body } = await store.get('a/x.txt')
    const bytes = Buffer.concat(await body.toArray())
    expect(bytes.length).toBe(info.size)
    seen.add([...new Set(bytes.toString())].join())
  }
  await writes
  expect([...seen].every((digits) => digits.length === 1)).toBe(true)
  await expect(store.put('a/x.txt', Buffer.alloc(10), { contentType: 'text/plain', maxBytes: 5 })).rejects.toThrow()
  expect((await readdir(join(root, 'a'))).length).toBe(2)
  await close()
})
