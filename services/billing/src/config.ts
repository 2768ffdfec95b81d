import { z } from 'zod'

/** With no STRIPE_SECRET_KEY the sandbox answers in Stripe's place. */
export const Config = z
  .object({
    STRIPE_SECRET_KEY: z
      .string()
      .regex(/^(sk|rk)_(test|live)_/, { error: 'must be a secret or restricted key of Stripe' })
      .optional(),
    STRIPE_WEBHOOK_SECRET: z.string().startsWith('whsec_').optional(),
    /** Of the endpoint that listens to connected accounts. Without it payouts are asked after by the sweep alone. */
    STRIPE_CONNECT_WEBHOOK_SECRET: z.string().startsWith('whsec_').optional(),
    /** Where Stripe reaches us, when it is not PUBLIC_URL. */
    WEBHOOK_BASE_URL: z.url().optional(),
    /** Stripe Tax works out and collects what is due. It has to be set up in the account: with `off` nothing is collected. */
    STRIPE_TAX: z.enum(['on', 'off']).default('on'),
    /** The business that sells, as its invoices name it: the address in parts between semicolons. Without a name they say the product's. */
    BUSINESS_NAME: z.string().max(120).optional(),
    BUSINESS_ADDRESS: z.string().max(300).optional(),
    BUSINESS_TAX_ID: z.string().max(40).optional(),
    /** The trial is once a card: on with a live key, off in test mode and in the sandbox, unless said here. */
    TRIAL_ONCE_PER_CARD: z.stringbool().optional(),
  })
  .refine((config) => !config.STRIPE_SECRET_KEY || config.STRIPE_WEBHOOK_SECRET, {
    path: ['STRIPE_WEBHOOK_SECRET'],
    error: 'is needed with STRIPE_SECRET_KEY',
  })
export type Config = z.output<typeof Config>
