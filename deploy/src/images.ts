import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const file = join(resolve(import.meta.dirname, '..'), 'images.lock')
const DIGEST = /^sha256:[0-9a-f]{64}$/

export type Images = Map<string, string | null>

/** The images to pull, each with its digest, or null while none is recorded. */
export function readImages(text = readFileSync(file, 'utf8')): Images {
  const images: Images = new Map()
  for (const line of text.split('\n')) {
    if (!line.trim() || line.startsWith('#')) continue
    const [name = '', digest = ''] = line.split(' ')
    if (digest !== 'unfilled' && !DIGEST.test(digest))
      throw new Error(`deploy/images.lock: "${line}" has neither a digest nor the word unfilled`)
    images.set(name, digest === 'unfilled' ? null : digest)
  }
  return images
}

/** `postgres:18@sha256:…`, or the tag alone while there is no digest. */
export function pinned(images: Images, name: string): string {
  if (!images.has(name)) throw new Error(`deploy/images.lock does not name ${name}`)
  const digest = images.get(name)
  return digest ? `${name}@${digest}` : name
}

/** The warning of `npm run check` while a tag can change without notice. */
export function unfilled(images: Images = readImages()): string[] {
  return [...images].filter(([, digest]) => digest === null).map(([name]) => name)
}

/** Pulls each image and writes down what came. */
async function main() {
  const [comment] = readFileSync(file, 'utf8').split('\n')
  const lines = [...readImages()].map(([name, known]) => {
    const pulled = spawnSync('docker', ['pull', '--quiet', name], { stdio: ['ignore', 'ignore', 'inherit'] })
    const told = spawnSync('docker', ['image', 'inspect', '--format', '{{join .RepoDigests "\\n"}}', name], { encoding: 'utf8' })
    const digest = pulled.status === 0 && told.status === 0 ? (/sha256:[0-9a-f]{64}/.exec(told.stdout)?.[0] ?? null) : null
    if (!digest) console.error(`operon: Docker could not tell the digest of ${name}; ${known ? 'the old one stays' : 'it stays unfilled'}`)
    return `${name} ${digest ?? known ?? 'unfilled'}`
  })
  writeFileSync(file, `${[comment, ...lines].join('\n')}\n`)
  const { writeGenerated } = await import('./generate.ts')
  for (const path of await writeGenerated()) console.log(`operon: wrote ${path}`)
}

// Not awaited: what it imports imports this file, and each would wait for the other for ever.
if (import.meta.main) void main()
