import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addressesOf, changes } from './discovery.ts'

const names: Record<string, string[]> = { billing: ['10.0.0.2', '10.0.0.3'], six: ['fd00::2'], nobody: [] }
const lookup = async (name: string) => names[name] ?? Promise.reject(new Error('no such name'))

test('every address of a name is one, with the name’s port; an address, a socket and this machine are what they say', async () => {
  expect(await addressesOf('http://billing:8080', lookup)).toEqual(['http://10.0.0.2:8080', 'http://10.0.0.3:8080'])
  expect(await addressesOf('billing:9000', lookup)).toEqual(['http://10.0.0.2:9000', 'http://10.0.0.3:9000'])
  expect(await addressesOf('http://six:8080', lookup)).toEqual(['http://[fd00::2]:8080'])
  for (const one of ['http://127.0.0.1:8080', 'http://[::1]:8080', 'unix:/run/billing-1.sock', 'http://localhost:8080']) {
    expect(changes(one)).toBe(false)
    expect(await addressesOf(one, lookup)).toEqual([one])
  }
  expect(await addressesOf('http://nobody:8080', lookup)).toEqual([])
})

test('a file names places line by line, names and other files among them, and one that names itself ends', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'operon-places-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const [one, other] = [join(dir, 'one'), join(dir, 'other')]
  await writeFile(one, `# ours\nunix:/run/a.sock\n\nhttp://billing:8080\nhttp://gone:8080\nfile:${other}\n`)
  await writeFile(other, `http://10.0.0.9:9110\nfile:${other}\n`)
  expect(changes(`file:${one}`)).toBe(true)
  const found = await addressesOf(`file:${one}`, lookup)
  expect([...new Set(found)]).toEqual(['unix:/run/a.sock', 'http://10.0.0.2:8080', 'http://10.0.0.3:8080', 'http://10.0.0.9:9110'])
  await expect(addressesOf(`file:${join(dir, 'absent')}`, lookup)).rejects.toThrow()
})
