import pg from 'pg'

/** Look-ups in indexes, and the rows and entries of indexes that were read: the same work costs more blocks in a deeper index, and no more of these. */
export type Looked = { lookUps: number; rows: number }

type Client = pg.Client & { database?: string; readyForQuery?: boolean }

/** Counts what work in this process has PostgreSQL look at, in every database that it speaks to. */
export function watchLooks(postgres: string) {
  const query = pg.Client.prototype.query as (...args: any[]) => any
  const readers = new Map<string, pg.Client>()
  /** Those who said something since they were last asked what they had read. */
  const spoke = new Set<Client>()
  pg.Client.prototype.query = function (this: Client, ...args: any[]) {
    if (this.database && readers.get(this.database) !== this) spoke.add(this)
    return query.apply(this, args)
  } as never

  async function readerOf(database: string): Promise<pg.Client> {
    const known = readers.get(database)
    if (known) return known
    const url = new URL(postgres)
    url.pathname = `/${database}`
    const client = new pg.Client({ connectionString: url.href })
    readers.set(database, client)
    await client.connect()
    return client
  }

  async function count(database: string): Promise<Looked> {
    const { rows } = await (await readerOf(database)).query(`
      select coalesce(sum(pg_stat_get_numscans(oid)) filter (where relkind = 'i'), 0)::float8 as "lookUps",
        coalesce(sum(pg_stat_get_tuples_returned(oid)), 0)::float8 as rows
      from pg_class where relkind in ('i', 'r') and relnamespace = 'public'::regnamespace and relname !~ 'outbox|inbox|bullmq'`)
    return rows[0]
  }

  const counted = new Map<string, Looked>()
  /** Reads since the last time. A session tells of it when it has been idle for a while, or is asked to. */
  async function since(): Promise<Looked> {
    // One that works is about something else, and is asked the next time.
    const clients = [...spoke].filter(({ readyForQuery }) => readyForQuery)
    for (const client of clients) spoke.delete(client)
    await Promise.all(clients.map((client) => query.call(client, 'select pg_stat_force_next_flush()').catch(() => {})))
    const more = { lookUps: 0, rows: 0 }
    for (const database of new Set(clients.map((client) => client.database!))) {
      const [before, now] = [counted.get(database), await count(database)]
      counted.set(database, now)
      more.lookUps += now.lookUps - (before?.lookUps ?? now.lookUps)
      more.rows += now.rows - (before?.rows ?? now.rows)
    }
    return more
  }

  return {
    async during(work: () => Promise<unknown>): Promise<Looked> {
      await since()
      await work()
      return since()
    },
    async close() {
      pg.Client.prototype.query = query as never
      await Promise.all([...readers.values()].map((client) => client.end()))
    },
  }
}
