import { serviceNames } from '@operon/contracts/services'
import pg from 'pg'
import { SetupError } from './config.ts'
import { patiently } from './patience.ts'
import { createLogger, type Logger } from './telemetry.ts'

/**
 * Gives each service's role its own database and nobody else's. `admin` is a superuser's address, `urls` are the services'. Safe to run again:
 * passwords are set anew, and what another role made in a database goes to the database's role.
 */
export async function ensureRoles(admin: string, urls: string[], log: Logger): Promise<void> {
  const server = await connected(admin, log)
  try {
    await server.query('revoke connect on database postgres from public')
    await server.query('revoke connect on database template1 from public')
    for (const url of urls) {
      const { role, password, database } = readUrl(url)
      if ((await server.query('select from pg_roles where rolname = $1 and rolsuper', [role])).rowCount)
        throw new SetupError(`${database}: its role ${role} is a superuser, who opens every database`)
      const known = (await server.query('select from pg_roles where rolname = $1', [role])).rowCount
      await server.query(
        `${known ? 'alter' : 'create'} role ${pg.escapeIdentifier(role)} login nosuperuser nocreatedb nocreaterole password ${pg.escapeLiteral(password)}`,
      )
      if (!(await server.query('select from pg_database where datname = $1', [database])).rowCount)
        await server.query(`create database ${pg.escapeIdentifier(database)}`)
      await server.query(`alter database ${pg.escapeIdentifier(database)} owner to ${pg.escapeIdentifier(role)}`)
      await server.query(`revoke all on database ${pg.escapeIdentifier(database)} from public`)
      await handOver(admin, database, role, log)
    }
  } finally {
    await server.end()
  }
}

/** Everything in the database belongs to its role: a database from before roles was filled by the superuser. */
async function handOver(admin: string, database: string, role: string, log: Logger) {
  const address = new URL(admin)
  address.pathname = `/${database}`
  const client = await connected(address.href, log)
  try {
    await client.query(`alter schema public owner to ${pg.escapeIdentifier(role)}`)
    const { rows } = await client.query<{ statement: string }>(THINGS, [role])
    for (const { statement } of rows) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Sequences of columns follow their table, types of tables and parts of extensions theirs. */
const THINGS = `
  with mine as (select oid, rolname from pg_roles where rolname = $1)
  select format('alter %s %s owner to %I', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end, c.oid::regclass, mine.rolname) as statement
  from pg_class c join pg_namespace n on n.oid = c.relnamespace, mine
  where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind in ('r', 'p', 'v', 'm', 'S') and c.relowner <> mine.oid
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i', 'e'))
  union all
  select format('alter type %s owner to %I', t.oid::regtype, mine.rolname)
  from pg_type t join pg_namespace n on n.oid = t.typnamespace, mine
  where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and t.typtype in ('e', 'd') and t.typowner <> mine.oid
    and not exists (select from pg_depend d where d.objid = t.oid and d.deptype = 'e')
  union all
  select format('alter routine %s owner to %I', p.oid::regprocedure, mine.rolname)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace, mine
  where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and p.proowner <> mine.oid
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`

function readUrl(url: string) {
  const { username, password, pathname } = new URL(url)
  const [role, database] = [decodeURIComponent(username), decodeURIComponent(pathname.slice(1))]
  if (!role || !password || !database) throw new SetupError('DATABASE_URL_<SERVICE>: needs a role, a password and a database')
  return { role, password: decodeURIComponent(password), database }
}

function connected(url: string, log: Logger): Promise<pg.Client> {
  const open = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  return patiently({
    what: `PostgreSQL at ${new URL(url).host}`,
    log,
    withinMs: 30_000,
    isFinal: (error) => /^28/.test((error as { code?: string }).code ?? ''),
    open,
  })
}

// In a container, before the services start: `DATABASE_URL` is the superuser's, `DATABASE_URL_<SERVICE>` each service's own.
if (import.meta.main) {
  const { DATABASE_URL } = process.env
  const urls = serviceNames
    .map((name) => process.env[`DATABASE_URL_${name.toUpperCase().replaceAll('-', '_')}`])
    .filter((url) => url !== undefined)
  if (!DATABASE_URL) throw new SetupError('DATABASE_URL: is needed, with a superuser')
  await ensureRoles(DATABASE_URL, urls, createLogger('info'))
  console.log(`${urls.length} roles have their databases`)
}
