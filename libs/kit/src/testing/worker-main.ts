import { openDatabase } from '../db.ts'
import { createBullJobs } from '../jobs/bullmq.ts'
import { openPostgresQueue } from '../jobs/postgres.ts'
import { openRedisQueue } from '../jobs/redis.ts'
import { createLogger } from '../telemetry.ts'

const { service, job, id, databaseUrl, store } = JSON.parse(process.argv[2]!) as {
  service: string
  job: string
  id: string
  databaseUrl: string
  store: string
}
const log = createLogger('warn')
const { db } = openDatabase(databaseUrl, 2, () => {})
const opened = store.startsWith('redis:') ? await openRedisQueue(store, log) : openPostgresQueue(databaseUrl, log)
const jobs = createBullJobs({
  service,
  db: db as never,
  log,
  lockMs: 1000,
  ...opened,
  progress: async () => {},
  tellCancel: async () => {},
  onCancel: () => {},
})
jobs.handle(job, async () => {
  console.log('took it')
  await new Promise(() => {})
})
await jobs.start()
await jobs.add([{ id, name: job, user_id: null, payload: {}, trace: null }])
