import { createLogger } from '../telemetry.ts'
import { jobsSuite } from './jobs.suite.ts'
import { openPostgresQueue } from './postgres.ts'

jobsSuite('postgres:', async () => ({ store: (databaseUrl) => openPostgresQueue(databaseUrl, createLogger('silent')), close: async () => {} }))
