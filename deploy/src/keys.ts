import { keysCommand } from '@operon/identity/keys/rotation'
import { keptUrl } from './data-dir.ts'
import { exitWith, launcherEnv } from './launcher.ts'
import { say } from './log.ts'
import { checkEnv } from './services.ts'

/** `npm run keys`: the steps of a rotation or a service_role token, for a platform of this machine by its DATA_DIR or for the one that DATABASE_URL names. */
async function main() {
  const env = launcherEnv()
  const { DATA_DIR, DATABASE_URL = keptUrl(DATA_DIR, 'postgres') } = checkEnv(env, [])
  say(await keysCommand(process.argv.slice(2), { ...env, DATABASE_URL }))
}

await main().then(() => process.exit(0), exitWith)
