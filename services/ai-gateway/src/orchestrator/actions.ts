import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Expression, SqlBool } from 'kysely'
import { z } from 'zod'
import { type AnswerDeps, ask } from '../completions/answer.ts'
import { DEFAULT_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'

/** Where an assistant may lead: pages of the app, never an address that a model made up. */
const pages = ['dashboard', 'ai-lab', 'content-creator', 'brand-builder', 'meta-ads', 'settings', 'how-it-works'] as const
const sentence = z.string().trim().min(1).max(2000)

/** What a model may propose. Its arguments are checked here, whatever it sent; nothing else can become an action. */
const kinds = {
  navigate: {
    description: 'Open a page of the app',
    input: z.object({ page: z.enum(pages) }),
    prompts: 0,
    title: (input: Record<string, string>) => `Open ${input.page}`,
  },
  generate_content: {
    description: 'Write a text for the person',
    input: z.object({ type: z.enum(['blog', 'social', 'email', 'video', 'ad', 'product']), topic: sentence }),
    prompts: 1,
    title: (input: Record<string, string>) => `Write ${input.type}: ${input.topic!.slice(0, 60)}`,
  },
  suggest_names: {
    description: 'Suggest business names',
    input: z.object({ business: sentence }),
    prompts: 1,
    title: (input: Record<string, string>) => `Suggest names for ${input.business!.slice(0, 60)}`,
  },
  search: {
    description: 'Search the web and answer with sources',
    input: z.object({ query: sentence }),
    prompts: 1,
    title: (input: Record<string, string>) => `Research: ${input.query!.slice(0, 60)}`,
  },
} as const
type Kind = keyof typeof kinds

export const tools = Object.entries(kinds).map(([name, { description, input }]) => ({
  type: 'function',
  function: { name, description, parameters: z.toJSONSchema(input) },
}))

export type ToolCall = { name: string; arguments: string }

/** Keeps what a model proposed, as far as it is something that can be proposed. */
export async function keepProposals(ctx: Ctx<AiDb>, calls: ToolCall[], message_id: string | null) {
  const user_id = signedIn(ctx).id
  const rows = calls.slice(0, 4).flatMap((call) => {
    const kind = Object.hasOwn(kinds, call.name) ? (call.name as Kind) : null
    const input = kind && kinds[kind].input.safeParse(jsonOf(call.arguments))
    if (!kind || !input?.success) return []
    return [
      {
        id: newId(),
        user_id,
        message_id,
        kind,
        title: kinds[kind].title(input.data),
        description: kinds[kind].description,
        input: input.data as Record<string, string>,
        prompts: kinds[kind].prompts,
      },
    ]
  })
  if (rows.length)
    await ctx.db
      .insertInto('ai_actions')
      .values(rows.map((row) => ({ ...row, input: JSON.stringify(row.input), result: null, link: null })))
      .execute()
  return rows.map(({ user_id: _user, message_id: _message, ...row }) => row)
}

/** Runs an approved proposal once, as the person who approved it. */
export async function runAction(deps: AnswerDeps, ctx: Ctx<AiDb>, { action_id }: { action_id: string }) {
  const mine = ctx.db.updateTable('ai_actions').where('id', '=', action_id).where('user_id', '=', signedIn(ctx).id)
  const action = await mine
    .set({ state: 'running' })
    .where('state', 'in', ['proposed', 'failed'])
    .returning(['kind', 'input'])
    .executeTakeFirst()
  if (!action) throw new DomainError('not_found', { message: 'This action is not there, or was run already.' })
  try {
    const { result, link } = await perform(deps, ctx, action.kind as Kind, action.input as Record<string, string>)
    await mine.set({ state: 'done', result, link }).execute()
    return { status: 'done' as const, result, link }
  } catch (error) {
    await mine.set({ state: 'failed' }).execute()
    throw error
  }
}

/** Only what nobody has begun can be dismissed, or taken back. */
export async function dismissActions(
  ctx: Ctx<AiDb>,
  { where, patch }: { where: Expression<SqlBool>; patch: { state: 'proposed' | 'dismissed' } },
) {
  return ctx.db
    .updateTable('ai_actions')
    .set(patch)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', 'in', ['proposed', 'failed', 'dismissed'])
    .where(where)
    .returningAll()
    .execute() as Promise<Record<string, unknown>[]>
}

async function perform(
  deps: AnswerDeps,
  ctx: Ctx<AiDb>,
  kind: Kind,
  input: Record<string, string>,
): Promise<{ result: string; link: string | null }> {
  if (kind === 'navigate')
    return { result: `Opening ${input.page}.`, link: input.page === 'dashboard' ? '/dashboard' : `/dashboard/${input.page}` }
  const [content, model] =
    kind === 'search'
      ? [input.query!, 'perplexity']
      : kind === 'suggest_names'
        ? [`Suggest eight business names, one a line, for: ${input.business}`, DEFAULT_MODEL]
        : [`Write a ${input.type} about: ${input.topic}`, DEFAULT_MODEL]
  const answer = await ask(deps, {
    userId: signedIn(ctx).id,
    feature: 'analyst',
    model,
    body: { messages: [{ role: 'user', content }] },
    command: content,
  })
  await answer.whole()
  if (answer.outcome !== 'completed') throw new DomainError('answer_cut')
  return { result: [answer.content, ...answer.citations.map((source) => `Source: ${source}`)].join('\n'), link: null }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
