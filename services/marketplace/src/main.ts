import { runMain } from '@operon/kit/main'
import { marketplaceService } from './service.ts'

await runMain(marketplaceService)
