import type { Eraser } from '@operon/kit/erasure'
import { forgetPerson } from './facts/forget.ts'
import type { AnalyticsDb } from './schema.ts'

export const erasure: Eraser<AnalyticsDb> = { erase: forgetPerson }
