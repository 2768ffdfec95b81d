import { mailSettings } from '@operon/kit/mail/mailer'
import { mailLimits } from '@operon/kit/mail/turns'
import { z } from 'zod'

export const Config = z.object({ ...mailSettings, ...mailLimits })
export type Config = z.output<typeof Config>
