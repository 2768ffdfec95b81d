import { lookup } from 'node:dns/promises'
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** The addresses that a name stands for now; empty when that is not known. */
export type Lookup = (name: string) => Promise<string[]>

/** `http://name:port` may be many machines, `file:/path` names the places line by line. Anything else is one place. */
export async function addressesOf(address: string, ofName: Lookup = allOf, within = MAX_DEPTH): Promise<string[]> {
  if (address.startsWith('file:')) {
    const lines = within > 0 ? await linesOf(address.slice(5)) : []
    return (await Promise.all(lines.map((line) => addressesOf(line, ofName, within - 1).catch(() => [])))).flat()
  }
  if (!changes(address)) return [address]
  const url = urlOf(address)
  return (await ofName(url.hostname)).map((each) => `${url.protocol}//${isIP(each) === 6 ? `[${each}]` : each}:${url.port || 80}`)
}

/** A file may name another one; two that name each other end somewhere. */
const MAX_DEPTH = 3

/** Whether it may lead elsewhere the next time. */
export const changes = (address: string): boolean =>
  address.startsWith('file:') || (!address.startsWith('unix:') && isName(urlOf(address).hostname))

export const urlOf = (address: string): URL => new URL(address.includes('://') ? address : `http://${address}`)

// Of this machine's own name there is one, and its two families are the same processes.
const isName = (host: string) => host !== 'localhost' && isIP(host.replace(/^\[|\]$/g, '')) === 0

/** One family, so that a machine with two addresses does not count twice. */
async function allOf(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true }).catch(() => [])
  const family = Math.min(...found.map((each) => each.family))
  return [...new Set(found.filter((each) => each.family === family).map(({ address }) => address))].sort()
}

const read = new Map<string, { version: string; lines: string[] }>()

/** Looked at every second, and read where it has changed. */
async function linesOf(path: string): Promise<string[]> {
  // A stat of a file of this machine is shorter than the way to another thread and back.
  const { mtimeMs, ctimeMs, ino, size } = statSync(path)
  const version = [mtimeMs, ctimeMs, ino, size].join()
  const known = read.get(path)
  if (known?.version === version) return known.lines
  const all = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim())
  const lines = all.filter((line) => line && !line.startsWith('#'))
  read.set(path, { version, lines })
  return lines
}
