import { runMain } from '@operon/kit/main'
import { integrationsService } from './service.ts'

await runMain(integrationsService)
