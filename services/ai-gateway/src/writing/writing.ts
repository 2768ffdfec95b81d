import { fallbackNames, namesIn } from '@operon/contracts/ai-gateway/names'
import type { searchWeb, suggestNames, writeContent, writeEmail, writeProductText } from '@operon/contracts/ai-gateway/writing'
import type { Input } from '@operon/contracts/contract'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { z } from 'zod'
import type { Answer, AnswerDeps } from '../completions/answer.ts'
import { SEARCHING_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import { promptOf } from './prompts.ts'
import { AS_DATA, by, FOR_WHOM, shaped, whole } from './shaped.ts'

export async function content(deps: AnswerDeps, ctx: Ctx<AiDb>, { model, ...order }: Input<typeof writeContent>) {
  const { system, said } = promptOf({ kind: 'content', ...order })
  const asked = { feature: 'content', model, system, said }
  const first = await whole(deps, ctx, asked)
  // The one type with a number that can be counted.
  const short = order.type === 'social' && postsIn(first.content) !== 5
  const answer = short ? await whole(deps, ctx, { ...asked, said: `${said}\nNumber exactly 5 posts from 1 to 5.` }) : first
  const words = answer.content.split(/\s+/).filter(Boolean).length
  return { title: said.split('\n')[0]!, content: answer.content, words, ...by(answer) }
}
const postsIn = (text: string) => text.match(/^[\s#*]*\d+[.):]/gm)?.length ?? 0

/** A used-up plan is told; a provider that fails leads to the fallback names, with its reason. */
export async function names(deps: AnswerDeps, ctx: Ctx<AiDb>, { model, description, most_prompts }: Input<typeof suggestNames>) {
  const asked = { feature: 'brand', model, ...promptOf({ kind: 'names', description }) }
  const none = (problem: string, answer?: Answer) => ({
    names: fallbackNames,
    fallback: true,
    problem,
    answered_by: answer?.target.upstreamModel ?? null,
    sandbox: answer?.target.sandbox ?? false,
  })
  try {
    const answer = await whole(deps, ctx, asked)
    const found = namesIn(answer.content)
    if (found.length) return { names: found, fallback: false, problem: null, ...by(answer) }
    if (most_prompts === 1) return none('The answer held no names.', answer)
    const again = await whole(deps, ctx, { ...asked, said: `${asked.said}\nOne name a line, nothing else.` })
    const repaired = namesIn(again.content)
    return repaired.length ? { names: repaired, fallback: false, problem: null, ...by(again) } : none('The answer held no names.', again)
  } catch (error) {
    if (error instanceof DomainError && ['model_unavailable', 'model_refused', 'answer_cut'].includes(error.code))
      return none(error.message)
    throw error
  }
}

export async function search(deps: AnswerDeps, ctx: Ctx<AiDb>, { query }: Input<typeof searchWeb>) {
  const system = `${FOR_WHOM} Answer briefly, with what you found.`
  const answer = await whole(deps, ctx, { feature: 'assistant', model: SEARCHING_MODEL, system, said: query })
  return { answer: answer.content, sources: answer.citations, ...by(answer) }
}

const Email = z.object({ subject: z.string().trim().min(1), body: z.string().trim().min(1) })
export async function email(deps: AnswerDeps, ctx: Ctx<AiDb>, { about, to, tone, model }: Input<typeof writeEmail>) {
  const said = [`Write an email about: ${about}`, to && `Recipient: ${to}`, tone && `Tone: ${tone}`].filter(Boolean).join('\n')
  const system = `${FOR_WHOM} Write one email with a subject line, a short body and one call to action. ${AS_DATA}`
  return shaped(deps, ctx, { feature: 'email', model, system, said }, 'email', Email)
}

const ProductText = z.object({
  headline: z.string().trim().min(1),
  description: z.string().trim().min(1),
  benefits: z.array(z.string()).min(1),
  specifications: z.array(z.string()),
})
export async function productText(deps: AnswerDeps, ctx: Ctx<AiDb>, { product, details, model }: Input<typeof writeProductText>) {
  const said = [`Product description of: ${product}`, details && `Details: ${details}`].filter(Boolean).join('\n')
  const system = `${FOR_WHOM} Write the text of a product page. State as a fact only what the details say. ${AS_DATA}`
  return shaped(deps, ctx, { feature: 'content', model, system, said }, 'product_text', ProductText)
}
