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
