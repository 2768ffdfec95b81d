import { z } from 'zod'

export const Config = z.object({})
export type Config = z.output<typeof Config>
