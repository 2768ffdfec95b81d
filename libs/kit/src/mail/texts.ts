import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { z } from 'zod'
import { sandboxIsOpen } from '../config.ts'
import type { Runtime } from '../service.ts'
import { blame } from '../telemetry.ts'

/** The settings of a service that sends text messages. */
export const textSettings = {
  SMS_API_URL: z.url().optional(),
  SMS_ACCOUNT_SID: z.string().default('AC00000000000000000000000000000000'),
  SMS_AUTH_TOKEN: z.string().default('sandbox'),
  SMS_FROM: z.string().default('+15005550006'),
}
type TextSettings = { SMS_API_URL?: string | undefined; SMS_ACCOUNT_SID: string; SMS_AUTH_TOKEN: string; SMS_FROM: string }

export type Texter = {
  /** Whether there is a provider: in production only one that the operator has set up. */
  isOpen: boolean
  /** To a number in digits, country code first. Throws `TextRefused` where the provider has answered that it did not take it. */
  send(to: string, text: string): Promise<void>
}

/** The provider's answer: nothing was sent. `code` is Twilio's number for the reason. */
export class TextRefused extends Error {
  override name = 'TextRefused'
  readonly status: number
  readonly code: number | null
  constructor(status: number, code: number | null) {
    super(`the SMS provider answered ${status}${code ? ` (${code})` : ''}`)
    this.status = status
    this.code = code
  }
}

/** Whoever has this number has answered STOP. */
export const STOPPED = 21610

/** Sends on Twilio's wire, through SMS_API_URL or else into the sandbox's inbox. */
export function openTexter({
  ask,
  config,
  kit,
  providers,
}: Pick<Runtime<any, TextSettings>, 'ask' | 'config' | 'kit' | 'providers'>): Texter {
  return {
    isOpen: Boolean(config.SMS_API_URL) || sandboxIsOpen(kit),
    async send(to, text) {
      const base = config.SMS_API_URL ?? (await ask(sandboxAddress, { provider: 'sms' })).url
      const response = await providers.call('sms', () =>
        fetch(`${base}/2010-04-01/Accounts/${config.SMS_ACCOUNT_SID}/Messages.json`, {
          method: 'POST',
          headers: { authorization: `Basic ${Buffer.from(`${config.SMS_ACCOUNT_SID}:${config.SMS_AUTH_TOKEN}`).toString('base64')}` },
          body: new URLSearchParams({ To: `+${to}`, From: config.SMS_FROM, Body: text }),
          signal: AbortSignal.timeout(10_000),
        }),
      )
      if (response.ok) return
      const said = (await response.json().catch(() => null)) as { code?: unknown } | null
      throw blame(new TextRefused(response.status, typeof said?.code === 'number' ? said.code : null), 'sms')
    },
  }
}

// Numbers that cost the sender or the receiver extra, or that nobody reads texts at: premium, shared cost, freephone, satellite.
const SPECIAL =
  /^(1(900|976|8(00|33|44|55|66|77|88))|44(70|8|9)|49(137|180|190|700|800|900)|33(8|9)|34(80|90)|39(1|8)|31(800|90)|32(78|800|90)|41(800|84|90)|43(8|9)|61(13|18|19)|800|808|870|878|881|882|883|888|979)/

/** A typed number in digits, country code first; null where it has no country code, or is none to send a text to. */
export function textNumber(typed: string): string | null {
  const digits = typed
    .trim()
    .replace(/^00/, '+')
    .replace(/[\s().\-/]/g, '')
  return /^\+[1-9]\d{6,14}$/.test(digits) && !SPECIAL.test(digits.slice(1)) ? digits.slice(1) : null
}
