import { runMain } from '@operon/kit/main'
import { identityService } from './service.ts'

await runMain(identityService)
