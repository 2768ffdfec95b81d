import { openDatabase } from '../db.ts'
import { createInfra } from '../service.ts'
import { createLogger } from '../telemetry.ts'

/** The parts that a process beside the service works with, for tests that stop and kill several of them. */
export async function openTestProcess<Db>({ databaseUrl, dataDir }: { databaseUrl: string; dataDir: string }) {
  const log = createLogger('error')
  const env = { NODE_ENV: 'test', DATA_DIR: dataDir, PUBLIC_URL: 'http://localhost:8080' }
  const { config: kit, metrics, vault } = await createInfra(env, { log })
  return { ...openDatabase<Db>(databaseUrl, 8, () => {}), kit, metrics, vault, log }
}
