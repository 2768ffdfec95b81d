import { randomUUID } from 'node:crypto'
import { createLogger } from '../telemetry.ts'
import { whyNoContainer } from '../testing/containers.ts'
import { startMinio, startS3 } from '../testing/servers.ts'
import { createS3Storage } from './s3.ts'
import { storageSuite } from './storage.suite.ts'

storageSuite('s3:', async () => {
  const server = await startS3()
  return { store: await createS3Storage(server.url, 'media', createLogger('silent')), close: server.stop }
})

// No test is left out where Docker is not: the end of a run says that this one was not to be had.
if ((await whyNoContainer('minio')) === null)
  storageSuite('s3: on MinIO', async () => {
    const server = await startMinio()
    return { store: await createS3Storage(server.url, 'media', createLogger('silent')), close: server.stop }
  })

// Any other server: `OPERON_TEST_S3=s3://key:secret@host/bucket?region=eu-1`, under a prefix of the run's own.
const other = process.env.OPERON_TEST_S3
if (other)
  storageSuite('s3: at OPERON_TEST_S3', async () => ({
    store: await createS3Storage(other, `suite-${randomUUID()}`, createLogger('silent')),
    close: async () => {},
  }))
