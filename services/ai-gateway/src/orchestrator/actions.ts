import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { type Expression, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { type AnswerDeps, ask, askerOf } from '../completions/answer.ts'
import { DEFAULT_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'

/** Where an assistant may lead: pages of the app, never an address that a model made up. */
const pages = {
  dashboard: 'Dashboard',
  'ai-lab': 'AI Assistant Lab',
  'content-creator': 'Content Creator',
  'brand-builder': 'Brand Builder',
  'meta-ads': 'Meta Ads Manager',
  settings: 'Settings',
  'how-it-works': 'How It Works',
} as const
type Page = keyof typeof pages
const sentence = z.string().trim().min(1).max(2000)

/**
 * What a model may propose. Its arguments are checked here, whatever it sent; nothing else can become an action. The model is told its
 * `description`, the person what it `does`.
 */
const kinds = {
  navigate: {
    description: 'Open a page of the app',
    does: 'Takes you to that page of the app',
    input: z.object({ page: z.enum(Object.keys(pages) as [Page, ...Page[]]) }),
    prompts: 0,
    title: (input: Record<string, string>) => `Open ${pages[input.page as Page]}`,
  },
  generate_content: {
    description: 'Write a text for the person',
    does: 'Writes the text, for you to read before you use it',
    input: z.object({ type: z.enum(['blog', 'social', 'email', 'video', 'ad', 'product']), topic: sentence }),
    prompts: 1,
    title: (input: Record<string, string>) => `Write ${input.type}: ${input.topic!.slice(0, 60)}`,
  },
  suggest_names: {
    description: 'Suggest business names',
    does: 'Suggests names for you to choose from',
    input: z.object({ business: sentence }),
    prompts: 1,
    title: (input: Record<string, string>) => `Suggest names for ${input.business!.slice(0, 60)}`,
  },
  search: {
    description: 'Search the web and answer with sources',
    does: 'Searches the web and names the sources of what it found',
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
export type Proposal = { kind: Kind; input: Record<string, string> }
export const MOST_PROPOSALS = 4

/** What a call proposes; the reason where it cannot be proposed as it is, and null where it is something else. */
export function proposalOf({ name, arguments: args }: ToolCall): Proposal | { error: string } | null {
  if (!Object.hasOwn(kinds, name)) return null
  const kind = name as Kind
  const input = kinds[kind].input.safeParse(jsonOf(args))
  return input.success ? { kind, input: input.data } : { error: z.prettifyError(input.error) }
}

/** Keeps what a model proposed. */
export async function keepProposals(ctx: Ctx<AiDb>, proposals: Proposal[], message_id: string | null) {
  const user_id = signedIn(ctx).id
  const rows = proposals.map(({ kind, input }) => ({
    ...{ id: newId(), user_id, message_id, kind, input },
    title: kinds[kind].title(input),
    description: kinds[kind].does,
    prompts: kinds[kind].prompts,
  }))
  if (rows.length)
    await ctx.db
      .insertInto('ai_actions')
      .values(rows.map((row) => ({ ...row, input: JSON.stringify(row.input), result: null, link: null })))
      .execute()
  return rows.map(({ user_id: _user, message_id: _message, ...row }) => row)
}

/** Runs an approved proposal once, as the person who approved it; asked again, it tells what came of it. */
export async function runAction(deps: AnswerDeps, ctx: Ctx<AiDb>, { action_id }: { action_id: string }) {
  const mine = ctx.db.updateTable('ai_actions').where('id', '=', action_id).where('user_id', '=', signedIn(ctx).id)
  const action = await mine
    .set({ state: 'running', begun_at: sql<Date>`now()` })
    .where('state', 'in', ['proposed', 'failed'])
    .returning(['kind', 'input'])
    .executeTakeFirst()
  if (!action) return resultOf(ctx, action_id)
  try {
    const { result, link } = await perform(deps, ctx, action.kind as Kind, action.input as Record<string, string>)
    await mine.set({ state: 'done', result, link }).execute()
    return { status: 'done' as const, result, link }
  } catch (error) {
    await mine.set({ state: 'failed' }).execute()
    throw error
  }
}

async function resultOf(ctx: Ctx<AiDb>, action_id: string) {
  const action = await ctx.db
    .selectFrom('ai_actions')
    .select(['state', 'result', 'link'])
    .where('id', '=', action_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirst()
  if (action?.state === 'running') throw new DomainError('idempotency_running', { headers: { 'retry-after': '1' } })
  if (action?.state !== 'done') throw new DomainError('not_found', { message: 'This action is not there, or was dismissed.' })
  return { status: 'done' as const, result: action.result ?? '', link: action.link }
}

/** What ran in a process that died has failed: nothing came of it, and it can be approved again. */
export async function failAbandonedActions(ctx: Ctx<AiDb>, olderThanMs: number): Promise<number> {
  const { numUpdatedRows } = await ctx.db
    .updateTable('ai_actions')
    .set({ state: 'failed' })
    .where('state', '=', 'running')
    .where(sql<Date>`coalesce(begun_at, created_at)`, '<', sql<Date>`now() - ${olderThanMs} * interval '1 millisecond'`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
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
    // The page is opened by whoever approved it, so this is the way there and claims no more.
    return {
      result: `Use the link to open ${pages[input.page as Page]}.`,
      link: input.page === 'dashboard' ? '/dashboard' : `/dashboard/${input.page}`,
    }
  const [content, model] =
    kind === 'search'
      ? [input.query!, 'perplexity']
      : kind === 'suggest_names'
        ? [`Suggest eight business names, one a line, for: ${input.business}`, DEFAULT_MODEL]
        : [`Write a ${input.type} about: ${input.topic}`, DEFAULT_MODEL]
  const answer = await ask(deps, {
    userId: askerOf(ctx),
    feature: 'analyst',
    model,
    body: { messages: [{ role: 'user', content }] },
    command: kinds[kind].title(input),
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
