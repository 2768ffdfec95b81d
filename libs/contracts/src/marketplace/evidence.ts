import { z } from 'zod'
import { request, time } from '../contract.ts'

/** Asked when a bank disputes the payment of an order: all that is on record of it here. Null where there is no such order. */
export const orderEvidence = request(
  'marketplace.order_evidence',
  z.object({ reference: z.uuid() }),
  z.object({
    order: z
      .object({
        ordered_at: time,
        delivered_at: time.nullable(),
        email: z.string().nullable(),
        /** Whether an account of the buyer's holds it. */
        has_account: z.boolean(),
        lines: z.array(
          z.object({
            title: z.string(),
            version: z.int().nullable(),
            files: z.int(),
            first_download_at: time.nullable(),
            /** Machines on which its license key was used. */
            activations: z.int(),
            reviewed_at: time.nullable(),
            rating: z.int().nullable(),
          }),
        ),
        /** The newest, oldest of them first. */
        messages: z.array(z.object({ from: z.enum(['buyer', 'seller']), at: time, text: z.string() })),
        refund: z
          .object({ asked_at: time, reason: z.string(), text: z.string(), state: z.string(), answer: z.string().nullable() })
          .nullable(),
      })
      .nullable(),
  }),
)
