import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the ports that a system gives to outgoing calls: one of those may be taken by the time it is listened on.
const LOWEST = 20_000
const HIGHEST = 32_000
const TRIES = 50

/** A port that nothing listens on. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let n = 0; n < TRIES; n++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await portIsFree(port, host)) return port
  }
  throw new Error(`none of ${TRIES} ports from ${LOWEST} to ${HIGHEST} is free at ${host}`)
}

/** So many that differ. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

/** Null when we could listen there, else why not. */
export function portProblem(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer().once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

export const portIsFree = async (port: number, host = '127.0.0.1'): Promise<boolean> => (await portProblem(port, host)) === null
