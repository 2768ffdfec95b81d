import { resolve } from 'node:path'
import { freePort } from '@operon/kit/ports'
import { takeDataDir } from './data-dir.ts'
import { keepPostgres } from './database.ts'
import { demandPort, exitWith, launcherEnv, stopOnSignals } from './launcher.ts'
import { readable, say } from './log.ts'
import { checkEnv, chosenServices, loadDefinitions } from './services.ts'
import { supervise } from './supervised.ts'

const root = resolve(import.meta.dirname, '../..')

/** The server, restarted when a file of it changes, behind Vite, which swaps changed parts of the page: one address for both. */
async function startDev() {
  const given = launcherEnv()
  const { PORT, HOST, DATA_DIR, DATABASE_URL } = checkEnv(given, await loadDefinitions(chosenServices(given)))
  await demandPort(PORT, HOST)
  const dataDir = resolve(DATA_DIR)
  const giveBack = takeDataDir(dataDir)
  // Kept here, so that a restart of the server does not restart the database.
  const postgres = DATABASE_URL ? null : await keepPostgres({ dataDir, log: say })
  const api = await freePort()
  const env = {
    ...given,
    HOST: '127.0.0.1',
    PORT: String(api),
    PUBLIC_URL: given.PUBLIC_URL ?? `http://localhost:${PORT}`,
    DATA_DIR: dataDir,
    DATABASE_URL: DATABASE_URL ?? postgres!.url,
    OPERON_API: `http://127.0.0.1:${api}`,
  }
  const server = supervise({
    name: 'server',
    command: process.execPath,
    args: ['--watch', '--watch-preserve-output', resolve(root, 'deploy/src/dev-server.ts')],
    env,
    onLine: (line) => say(readable(line, line.startsWith('{') ? '' : 'server')),
    log: say,
  })
  const vite = supervise({
    name: 'web',
    command: process.execPath,
    args: [
      resolve(root, 'web/node_modules/vite/bin/vite.js'),
      resolve(root, 'web'),
      '--host',
      HOST,
      '--port',
      String(PORT),
      '--strictPort',
      '--clearScreen',
      'false',
    ],
    env,
    onLine: (line) => say(readable(line, 'web')),
    log: say,
  })
  return {
    url: env.PUBLIC_URL,
    async stop() {
      await Promise.all([server.stop(), vite.stop()])
      await postgres?.stop()
      giveBack()
    },
  }
}

const starting = startDev()
stopOnSignals(() => starting.then((dev) => dev.stop()))
const { url } = await starting.catch(exitWith)
say(`operon: the app will be at ${url}; changes are taken up as you save. Stop with Ctrl-C`)
