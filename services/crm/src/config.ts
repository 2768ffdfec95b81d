import { z } from 'zod'

export const Config = z.object({
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, { error: 'must begin with smtp:// or smtps://' })
    .optional(),
  MAIL_FROM: z.string().optional(),
})
export type Config = z.output<typeof Config>
