import { type Kysely, sql } from 'kysely'
import { type KitConfig, SetupError } from './config.ts'
import type { Vault } from './vault.ts'

/**
 * The database remembers which master keys it is used with, by what tells nothing of them. A process with another key could open none of its
 * secrets and would seal new ones that nobody else opens, so it is refused; the first process ever is believed.
 */
export async function demandFleetKey(db: Kysely<any>, vault: Vault, { MASTER_KEY, DATA_DIR }: KitConfig, service: string): Promise<void> {
  const mine = sql`${vault.fingerprints}::text[]`
  const { rows } = await sql`
    insert into fleet_key (fingerprints) values (${mine})
    on conflict (one) do update set fingerprints = ${mine} where fleet_key.fingerprints && ${mine} returning one`.execute(db)
  if (rows.length) return
  throw new SetupError(
    MASTER_KEY
      ? `MASTER_KEY: is not the key that the database of ${service} is used with; set the fleet's key, see "Keys" in docs/operating.md`
      : `MASTER_KEY: is missing. The database of ${service} is used with another key than the one in ${DATA_DIR}/keys; set the fleet's key, see "Keys" in docs/operating.md`,
  )
}

const isRemote = (urls: string) =>
  !urls.startsWith('local:') &&
  urls.split(',').some((each) => {
    const { hostname } = new URL(each.includes('://') ? each.trim() : `nats://${each.trim()}`)
    return !/^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname)
  })

/** Where the broker is on another machine, other machines are in the fleet: a folder or a memory of this one would be this one's alone. */
export function refuseOwnStores({ BUS_URL, STORAGE_URL, CACHE_URL }: KitConfig, settings: ('STORAGE_URL' | 'CACHE_URL')[]): void {
  if (!isRemote(BUS_URL)) return
  const problems = [
    STORAGE_URL.startsWith('file:') && 'STORAGE_URL: other machines of the fleet cannot read a folder of this one; set an s3:// address',
    CACHE_URL.startsWith('memory:') &&
      'CACHE_URL: limits in memory are not counted with the other machines of the fleet; set a redis:// address',
  ].filter((problem): problem is string => typeof problem === 'string' && settings.some((name) => problem.startsWith(name)))
  if (problems.length) throw new SetupError(problems.join('\n'))
}
