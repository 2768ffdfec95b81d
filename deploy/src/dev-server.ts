// `npm run dev` restarts this: the services and the gateway; the web app comes from Vite, the database from the launcher.
import { startAllInOne } from './all-in-one.ts'
import { exitWith, stopOnSignals } from './launcher.ts'
import { say } from './log.ts'

const started = Date.now()
const starting = startAllInOne({ env: process.env, web: false, lock: false, log: say })
stopOnSignals(() => starting.then((running) => running.stop()))
await starting.catch(exitWith)
say(`ready in ${((Date.now() - started) / 1000).toFixed(1)} s`)
