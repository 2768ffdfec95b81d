import { z } from 'zod'
import { fn } from '../contract.ts'
import { type ThirdParty, thirdParties } from '../third-parties.ts'

/** Settings a page needs before anyone has signed in. Answered by the gateway itself. */
export const platformInfo = fn('platform-info', {
  access: 'public',
  rate: 'read',
  reply: z.object({
    product_name: z.string(),
    version: z.string(),
    sandboxed: z.array(z.enum(Object.keys(thirdParties) as ThirdParty[])),
    demo_accounts: z.boolean(),
  }),
})
