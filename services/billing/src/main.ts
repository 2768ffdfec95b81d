import { runMain } from '@operon/kit/main'
import { billingService } from './service.ts'

await runMain(billingService)
