import { AdVariation, type generateAds } from '@operon/contracts/ai-gateway/tools'
import type { Input } from '@operon/contracts/contract'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { z } from 'zod'
import { type AnswerDeps, ask, askerOf } from '../completions/answer.ts'
import { DEFAULT_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'

type Ad = z.output<typeof AdVariation>
const Given = z.array(z.record(z.string(), z.unknown())).min(3)
const LIMITS = { primary_text: 125, headline: 27, description: 30 } as const

/**
 * Three variations within the platform's limits. An answer that cannot be used is asked for again, by a schema; what is too long is asked
 * for again as well, and what still is gets cut at a word.
 */
export async function adVariations(deps: AnswerDeps, ctx: Ctx<AiDb>, input: Input<typeof generateAds>) {
  const first = await tryAsk(deps, ctx, input, request(input))
  const used = first && !first.ads ? ((await tryAsk(deps, ctx, input, request(input), BY_SCHEMA)) ?? first) : first
  if (!used?.ads)
    return { variations: samples, sample: true, repaired: 0, answered_by: used?.answeredBy ?? null, sandbox: used?.sandbox ?? false }
  const long = used.ads.filter((ad) => !fits(ad)).length
  const again = long ? await tryAsk(deps, ctx, input, repair(used.ads)) : null
  const repaired = again?.ads ?? used.ads
  return { variations: repaired.map(shortened), sample: false, repaired: long, answered_by: used.answeredBy, sandbox: used.sandbox }
}

/** Null where nobody answered; without ads where the answer was cut, or is none that can be used. */
async function tryAsk(
  deps: AnswerDeps,
  ctx: Ctx<AiDb>,
  input: Input<typeof generateAds>,
  content: string,
  response_format: object = { type: 'json_object' },
) {
  try {
    const answer = await ask(deps, {
      userId: askerOf(ctx),
      feature: 'ads',
      model: input.model ?? DEFAULT_MODEL,
      body: {
        messages: [
          { role: 'system', content: SYSTEM },
          { role: 'user', content },
        ],
        response_format,
      },
      command: `Ad variations: ${input.details}`,
      // Nothing of it is kept: who leaves or stops needs it no more.
      stop: ctx.signal,
    })
    await answer.whole()
    const ads = answer.outcome === 'completed' ? parseAds(answer.content) : null
    return { ads, answeredBy: answer.target.upstreamModel, sandbox: answer.target.sandbox }
  } catch (error) {
    // A used-up plan is the person's to know; a provider that fails leads to the samples, which say what they are.
    if (error instanceof DomainError && !['model_unavailable', 'model_refused'].includes(error.code)) throw error
    return null
  }
}

const SYSTEM = `You write ads for a social ads platform. Answer with JSON only: {"variations":[{"primary_text","headline","description","targeting","format","tone"} x 3]}. primary_text has at most ${LIMITS.primary_text} characters, headline ${LIMITS.headline}, description ${LIMITS.description}.`

// Without the limits on length: providers that keep strictly to a schema do not know those.
const Plain = z.object(Object.fromEntries(AdVariation.keyof().options.map((name) => [name, z.string()])))
const BY_SCHEMA = {
  type: 'json_schema',
  json_schema: { name: 'ad_variations', strict: true, schema: z.toJSONSchema(z.object({ variations: z.array(Plain) })) },
}

const request = ({ details, audience, objective }: Input<typeof generateAds>) =>
  [`Create three ad variations for: ${details}`, audience && `Audience: ${audience}`, objective && `Objective: ${objective}`]
    .filter(Boolean)
    .join('\n')

const repair = (ads: Ad[]) =>
  `Create these ad variations again with every text within its limit, keeping the meaning:\n${JSON.stringify({ variations: ads })}`

/** Models wrap JSON in fences or a sentence now and then, and name the list as they like. */
export function parseAds(content: string): Ad[] | null {
  const start = content.search(/[[{]/)
  const end = Math.max(content.lastIndexOf('}'), content.lastIndexOf(']'))
  try {
    const json: unknown = JSON.parse(content.slice(start, end + 1))
    const given = Given.parse(Array.isArray(json) ? json : Object.values(json as object).find(Array.isArray))
    const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '')
    const ads = given.slice(0, 3).map((ad) => ({
      primary_text: text(ad.primary_text),
      headline: text(ad.headline),
      description: text(ad.description),
      targeting: text(ad.targeting),
      format: text(ad.format),
      tone: text(ad.tone),
    }))
    return ads.every((ad) => ad.primary_text && ad.headline && ad.description) ? ads : null
  } catch {
    return null
  }
}

const fits = (ad: Ad) => AdVariation.safeParse(ad).success
const shortened = (ad: Ad): Ad => ({
  ...ad,
  primary_text: cut(ad.primary_text, LIMITS.primary_text),
  headline: cut(ad.headline, LIMITS.headline),
  description: cut(ad.description, LIMITS.description),
})

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const head = text.slice(0, most - 1)
  const space = head.lastIndexOf(' ')
  return `${(space > most / 2 ? head.slice(0, space) : head).replace(/[\s,;:.-]+$/, '')}…`
}

const samples: Ad[] = [
  {
    primary_text: 'Spend less time on busywork. Let your workflows answer, follow up and book while you sell.',
    headline: 'Automate your busywork',
    description: 'Start your 3-day trial',
    targeting: 'Small business owners, 25-54',
    format: 'Single image',
    tone: 'Professional',
  },
  {
    primary_text: 'Every lead answered within a minute, day and night. See what your business does when nothing slips.',
    headline: 'Never miss a lead again',
    description: 'Set up in an afternoon',
    targeting: 'Local services and agencies, 28-60',
    format: 'Video',
    tone: 'Confident',
  },
  {
    primary_text: 'Chat, content, campaigns and calendar in one place. Fewer tabs, fewer invoices, more done.',
    headline: 'One place to run it all',
    description: 'No card needed to look',
    targeting: 'Founders and solo sellers, 22-45',
    format: 'Carousel',
    tone: 'Friendly',
  },
]
