import { z } from 'zod'

export const providers = ['stripe', 'openai', 'smtp', 'sms', 'oauth', 'rdap', 'apps'] as const
export type Provider = (typeof providers)[number]

const faultKinds = [
  'slow_headers',
  'slow_body',
  'status',
  'reset_before',
  'reset_after',
  'truncate',
  'malformed_event',
  'missing_end',
  'wrong_content_type',
  'empty_choices',
  'hung',
  // A model that says it did what nobody can do in an answer.
  'claims_deed',
] as const

export const Fault = z.object({
  provider: z.enum(providers),
  /** The email address, user id, phone number or customer whose requests it strikes; everybody's when absent. */
  account: z.string().min(1).optional(),
  /** A part of "METHOD /path" or of the model's name; every request when absent. */
  match: z.string().optional(),
  kind: z.enum(faultKinds),
  status: z.number().int().min(400).max(599).optional(),
  retry_after: z.number().min(0).optional(),
  /** How many requests it strikes; 0 is until it is deleted. */
  times: z.number().int().min(0).default(1),
  /** The share of matching requests that it strikes. */
  rate: z.number().min(0).max(1).default(1),
  ms: z.number().int().min(0).optional(),
})
export type Fault = z.infer<typeof Fault>

export type Faults = ReturnType<typeof createFaults>

/** Faults to order: a standing list, and one for a single request by header or by the end of a model's name. */
export function createFaults(chance: () => number) {
  let ordered: Fault[] = []

  /** `accounts` names the person behind a request in every way that is known; it is asked only where a fault is for one account. */
  function take(provider: Provider, subject: string, accounts: () => string[], header?: string | string[]): Fault | undefined {
    if (header) return parseFault(provider, String(header))
    const strikes = ({ account, match, rate }: Fault) =>
      subject.includes(match ?? '') && (account === undefined || accounts().some((each) => isSame(each, account))) && chance() < rate
    const fault = ordered.find((each) => each.provider === provider && strikes(each))
    if (!fault) return undefined
    if (fault.times === 0) return fault
    fault.times -= 1
    if (fault.times === 0) ordered = ordered.filter((each) => each !== fault)
    return fault
  }

  return {
    take,
    order: (fault: Fault) => void ordered.push({ ...fault }),
    list: () => ordered,
    /** Of one provider or one account, or all. */
    clear: ({ provider, account }: { provider?: string | null; account?: string | null }) => {
      ordered = ordered.filter(
        (each) => (provider && each.provider !== provider) || (account && !(each.account && isSame(each.account, account))),
      )
    },
  }
}

export const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** Our own services say to a stand-in for whom they ask, where the provider's protocol has no place for it. */
export const accountHeader = ({ 'x-sandbox-account': account }: Record<string, string | string[] | undefined>): string[] =>
  account ? [String(account)] : []

/** `hung`, `slow_headers;ms=500`, `status=429;retry_after=2`. */
export function parseFault(provider: Provider, text: string): Fault | undefined {
  const fields = Object.fromEntries(text.split(';').map((part) => part.trim().split('=') as [string, string | undefined]))
  const kind = Object.keys(fields)[0]
  const number = (name: string) => (fields[name] === undefined ? undefined : Number(fields[name]))
  const parsed = Fault.safeParse({ provider, kind, status: number('status'), retry_after: number('retry_after'), ms: number('ms') })
  return parsed.success ? parsed.data : undefined
}
