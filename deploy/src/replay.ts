import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { replay } from '@operon/kit/replay'
import { keptUrl } from './data-dir.ts'
import { exitWith, launcherEnv } from './launcher.ts'
import { checkEnv } from './services.ts'

/** The addresses of a platform of this machine, by its DATA_DIR, where none are given. A fleet keeps its jobs in the Redis of its folder. */
function addresses() {
  const env = launcherEnv()
  const { DATA_DIR, DATABASE_URL = keptUrl(DATA_DIR, 'postgres') } = checkEnv(env, [])
  const isFleet = existsSync(join(resolve(DATA_DIR), 'run/fleet.json'))
  return { ...env, DATABASE_URL, QUEUE_URL: env.QUEUE_URL ?? (isFleet ? keptUrl(DATA_DIR, 'redis') : 'postgres:') }
}

await (async () => replay(addresses(), process.argv.slice(2)))().then(() => process.exit(0), exitWith)
