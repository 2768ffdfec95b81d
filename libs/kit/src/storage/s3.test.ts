import { createLogger } from '../telemetry.ts'
import { startS3 } from '../testing/servers.ts'
import { createS3Storage } from './s3.ts'
import { storageSuite } from './storage.suite.ts'

storageSuite('s3:', async () => {
  const server = await startS3()
  return { store: await createS3Storage(server.url, 'media', createLogger('silent')), close: server.stop }
})
