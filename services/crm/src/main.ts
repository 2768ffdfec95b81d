import { runMain } from '@operon/kit/main'
import { crmService } from './service.ts'

await runMain(crmService)
