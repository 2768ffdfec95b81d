import { runMain } from '@operon/kit/main'
import { analyticsService } from './service.ts'

await runMain(analyticsService)
