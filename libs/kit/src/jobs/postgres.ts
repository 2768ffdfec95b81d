import { EventEmitter } from 'node:events'
import { createPostgresBackend, runMigrations } from 'bullmq'
import pg from 'pg'
import { SetupError } from '../config.ts'
import type { Logger } from '../telemetry.ts'
import { QUEUE_CONNECTIONS } from './jobs.ts'

const SCHEMA = 'bullmq'

/** The queue's tables stand in the service's own database, and all queues and workers of a service share its connections. */
export function openPostgresQueue(url: string, log: Logger) {
  const config = {
    connectionString: url,
    application_name: 'operon jobs',
    keepAlive: true,
    options: `-c search_path=${SCHEMA} -c idle_in_transaction_session_timeout=60000`,
  }
  const pool = new pg.Pool({ ...config, max: QUEUE_CONNECTIONS - 1, connectionTimeoutMillis: 20_000, idleTimeoutMillis: 30_000 })
  // Each queue and worker listens to the pool's errors; one that breaks while it is idle is the pool's business.
  pool.setMaxListeners(100)
  pool.on('error', (err) => log.warn({ err: err.message }, 'an idle connection of the job queue broke'))
  const listener = shareListener(config)
  let ready = false
  return {
    backend: createPostgresBackend,
    connection: {
      query: pool.query.bind(pool),
      connect: listener.connect,
      on: pool.on.bind(pool),
      end: async () => {},
      options: { keepAlive: true },
    },
    mayForget: false,
    memory: async () => '',
    ready: () => ready,
    async open() {
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
      await Promise.all([pool.end(), listener.end()])
    },
  }
}

/** All workers share one connection that looks like their own: every worker hears every notification and knows its own. */
function shareListener(config: pg.ClientConfig) {
  const ears = new Set<EventEmitter>()
  let shared: Promise<pg.Client> | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** Workers begin together, and pg will no longer keep a line of statements for them. */
  function inTurn<T>(statement: () => Promise<T>): Promise<T> {
    const turn = last.then(statement)
    last = turn.catch(() => {})
    return turn
  }

  async function open(): Promise<pg.Client> {
    const client = new pg.Client({ ...config, connectionTimeoutMillis: 20_000 })
    client.on('notification', (message) => {
      for (const ear of ears) ear.emit('notification', message)
    })
    client.on('error', (error) => {
      shared = undefined
      // Each worker asks for a new one.
      for (const ear of ears) if (ear.listenerCount('error')) ear.emit('error', error)
    })
    await client.connect()
    return client
  }

  return {
    async connect() {
      shared ??= open().catch((error) => {
        shared = undefined
        throw error
      })
      const client = await shared
      const ear = new EventEmitter()
      ears.add(ear)
      const query = (text: string, values?: unknown[]) => inTurn(() => client.query(text, values))
      return Object.assign(ear, { query, release: () => void ears.delete(ear) })
    },
    async end() {
      await shared?.then((client) => client.end()).catch(() => {})
    },
  }
}
