import { runMain } from '@operon/kit/main'
import { aiGatewayService } from './service.ts'

await runMain(aiGatewayService)
