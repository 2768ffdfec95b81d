import { mailSettings } from '@operon/kit/mail/mailer'
import { z } from 'zod'

export const Config = z.object({ ...mailSettings })
export type Config = z.output<typeof Config>
