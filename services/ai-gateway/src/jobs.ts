import { job } from '@operon/contracts/contract'
import { z } from 'zod'

export const sweep = job('ai-gateway.sweep', z.object({}))
