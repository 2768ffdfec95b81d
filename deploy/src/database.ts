import { setTimeout as delay } from 'node:timers/promises'
import { aliveProcess } from './machine.ts'
import { type Postgres, type PostgresOptions, startPostgres } from './postgres.ts'

export type KeptPostgres = {
  url: string
  pid(): number
  /** Leaves it down when it dies, until `release`: for those who kill it on purpose. */
  hold(): void
  release(): void
  stop(): Promise<void>
}

/** A look at one of a dozen databases is a process of its own: each minute, they were most of what a server at rest does. */
const AT_REST = { autovacuum_naptime: '3min' }

/** PostgreSQL that is started again, at the same address, when it dies. */
export async function keepPostgres(asked: PostgresOptions): Promise<KeptPostgres> {
  const options = { ...asked, settings: { ...AT_REST, ...asked.settings } }
  const log = options.log ?? (() => {})
  let server: Postgres = await startPostgres(options)
  let held = false
  const stopped = new AbortController()
  const watching = watch().catch((error) => {
    if (!stopped.signal.aborted) throw error
  })

  async function watch() {
    for (let wait = 250; !stopped.signal.aborted; ) {
      await delay(wait, undefined, { signal: stopped.signal })
      if (held || aliveProcess(server.pid)) continue
      try {
        server = await startPostgres(options)
        log(`PostgreSQL had died and runs again (pid ${server.pid})`)
        wait = 250
      } catch (error) {
        log(`PostgreSQL does not come back yet: ${(error as Error).message}`)
        wait = Math.min(wait * 2, 5000)
      }
    }
  }
  return {
    url: server.url,
    pid: () => server.pid,
    hold: () => {
      held = true
    },
    release: () => {
      held = false
    },
    async stop() {
      stopped.abort()
      await watching
      await server.stop()
    },
  }
}
