import { resolve } from 'node:path'
import { SetupError } from '@operon/kit/config'
import { restore } from './backup.ts'
import { exitWith, launcherEnv } from './launcher.ts'
import { say } from './log.ts'
import { checkEnv } from './services.ts'

/** `npm run restore -- <file>`: a platform of this machine as `npm run backup` found it, into a DATA_DIR that holds none. */
async function main() {
  const { DATA_DIR } = checkEnv(launcherEnv(), [])
  const [file] = process.argv.slice(2)
  if (!file) throw new SetupError('Name the backup: npm run restore -- operon-2026-11-21T0900.tar.gz')
  await restore({ dataDir: DATA_DIR, file, log: say })
  say(`${resolve(file)} is in ${resolve(DATA_DIR)}: DATA_DIR=${DATA_DIR} npm start, or npm run fleet as before`)
}

await main().then(() => process.exit(0), exitWith)
