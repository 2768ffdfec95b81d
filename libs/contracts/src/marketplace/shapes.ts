import { z } from 'zod'

export const cursor = z.string().max(200)
