import { runMain } from '@operon/kit/main'
import { sandboxService } from './service.ts'

await runMain(sandboxService)
