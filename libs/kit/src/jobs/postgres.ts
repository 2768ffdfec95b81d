import { createPostgresBackend, runMigrations } from 'bullmq'
import pg from 'pg'
import { SetupError } from '../config.ts'
import type { Logger } from '../telemetry.ts'

const SCHEMA = 'bullmq'
/** For queries; each worker holds one more to listen on. */
const CONNECTIONS = 3

/** The queue's tables stand in the service's own database, and all queues and workers of a service share one small pool. */
export function openPostgresQueue(url: string, log: Logger) {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: 20_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    options: `-c search_path=${SCHEMA} -c idle_in_transaction_session_timeout=60000`,
  })
  // Each queue and worker listens to the pool's errors; one that breaks while it is idle is the pool's business.
  pool.setMaxListeners(100)
  pool.on('error', (err) => log.warn({ err: err.message }, 'an idle connection of the job queue broke'))
  let ready = false
  return {
    backend: createPostgresBackend,
    connection: pool,
    mayForget: false,
    memory: async () => '',
    ready: () => ready,
    async open(workers: number) {
      pool.options.max = CONNECTIONS + workers
      const client = await pool.connect()
      try {
        await runMigrations(client as never, SCHEMA)
      } catch (error) {
        throw new SetupError(`the job queue in PostgreSQL cannot be prepared: ${(error as Error).message}`)
      } finally {
        client.release()
      }
      ready = true
    },
    async close() {
      ready = false
      await pool.end()
    },
  }
}
