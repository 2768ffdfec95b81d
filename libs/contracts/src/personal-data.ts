import { z } from 'zod'
import { request } from './contract.ts'
import type { Erasing } from './erasure.ts'

// The rows that a service holds about a person, for the export of their account: asked in pieces, so that no answer outgrows the bus.

const place = z.object({ part: z.int().min(0), after: z.uuid().nullable() })

export const exportUser = (service: Erasing) =>
  request(
    `${service}.export_user`,
    z.object({ user_id: z.uuid(), from: place.nullable() }),
    z.object({ name: z.string(), rows: z.array(z.record(z.string(), z.unknown())), next: place.nullable() }),
  )
