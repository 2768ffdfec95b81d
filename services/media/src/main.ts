import { runMain } from '@operon/kit/main'
import { mediaService } from './service.ts'

await runMain(mediaService)
