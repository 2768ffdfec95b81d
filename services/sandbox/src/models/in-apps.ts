import type { ChatMessage, Question } from './answer.ts'
import { fromSchema } from './schema.ts'
import { isQuestion } from './tasks.ts'
import type { Tool } from './tools.ts'

// A request to a connected app takes two looks: which actions the app has, then the one that fits, with what was said.

type There = { name: string; title: string; effect: string; input: Record<string, any> }
type Wish = { name: string; input: Record<string, unknown> }

const LOOK = 'list-app-actions'
const quotedWords = /(?:^|\s)["“‘'](.+?)["”’'](?=[\s.,!?]|$)/
const deeds = /^(?:post|send|share|publish|message|find|search|look|list|show|what|which|where|add|put|schedule|book|pause)\b/i
/** Writing is done here; these are things that are kept over there. */
const makes = /^(?:create|make)\b.*\b(?:folder|task|card|page|contact|customer|event|invoice)\b/i

const begun = (text: string) => text.trim().replace(/^(?:please|can you|could you|would you)\s+/i, '')
const phrases = (app: string) => [app.replaceAll('-', ' '), ...(app === 'google-drive' ? ['drive'] : [])]
const toApp = (app: string) =>
  new RegExp(`\\s*\\b(?:in|on|to|from|into|through|via|my|our)\\s+(?:my\\s+|our\\s+|the\\s+)?(?:${phrases(app).join('|')})\\b.*$`, 'is')

/** The app that something is to be done in. Of two names, the longer one was meant. */
function appIn(tools: readonly Tool[], { text }: Question): string | null {
  const look = tools.find(({ function: { name } }) => name === LOOK)
  const known: string[] = look?.function.parameters?.properties?.app?.enum ?? []
  const said = begun(text)
  if (!deeds.test(said) && !makes.test(said)) return null
  const named = known.filter((app) => app !== 'voice' && toApp(app).test(said)).sort((a, b) => b.length - a.length)
  return named[0] ?? null
}

/** The first look; null where no app was named, or a tool that fits is the app's own. */
export function lookInApp(tools: readonly Tool[], fitting: readonly Tool[], question: Question): Wish | null {
  const app = appIn(tools, question)
  const words = app?.split('-').filter((word) => word !== 'google') ?? []
  const hasOwn = fitting.some(({ function: { name } }) => name.split('-').some((word) => words.includes(word)))
  return app && !hasOwn ? { name: LOOK, input: { app } } : null
}

/** The action that fits, once the app's actions are known. */
export function doInApp(since: readonly ChatMessage[], tools: readonly Tool[], question: Question): Wish | null {
  const app = appIn(tools, question)
  const calls = since.flatMap(({ tool_calls = [] }) => tool_calls)
  if (!app || calls.some((call) => call.function.name !== LOOK)) return null
  const actions = since.filter(({ role }) => role === 'tool').flatMap(({ content }) => actionsIn(content) ?? [])
  const able = isQuestion(question) ? actions.filter(({ effect }) => effect === 'reads') : actions
  const [best] = able.map((each) => ({ each, score: score(each.name, question.text) })).sort((a, b) => b.score - a.score)
  const input = best && best.score > 0 ? filled(best.each.input, question, app) : null
  return (
    input && { name: best!.each.effect === 'reads' ? 'read-from-app' : 'run-app-action', input: { app, action: best!.each.name, input } }
  )
}

export function actionsIn(content: unknown): There[] | null {
  try {
    const actions: There[] | undefined = JSON.parse(String(content)).data?.actions
    return Array.isArray(actions) && actions.every(({ name, effect, input }) => name && effect && input) ? actions : null
  } catch {
    return null
  }
}

const alike: Record<string, string[]> = {
  find: ['search', 'look', 'where'],
  list: ['show', 'which', 'what'],
  post: ['send', 'share', 'publish', 'message'],
  publish: ['post', 'share'],
  send: ['message', 'post'],
  add: ['create', 'make', 'put', 'schedule', 'book'],
  make: ['create', 'add'],
}

/** An action's name begins with its verb. */
function score(name: string, text: string): number {
  const [verb, ...rest] = name.split('-')
  const said = begun(text).replace(quotedWords, ' ').toLowerCase()
  const first = /^\w+/.exec(said)?.[0] ?? ''
  if (first !== verb && !alike[verb!]?.includes(first)) return 0
  return 2 + rest.filter((word) => said.includes(word.replace(/s$/, ''))).length
}

/** Null where something is needed that nobody said: no model makes up an id. */
function filled(schema: Record<string, any>, question: Question, app: string): Record<string, unknown> | null {
  const { properties = {}, required = [] } = schema
  const input = Object.fromEntries((required as string[]).map((name) => [name, said(name, properties[name] ?? {}, question, app)]))
  return Object.values(input).some((value) => value === null) ? null : input
}

function said(name: string, schema: Record<string, any>, question: Question, app: string): unknown {
  const { text } = question
  const quoted = quotedWords.exec(text)?.[1] ?? null
  if (schema.enum) return fromSchema(schema, question, schema, name)
  if (name === 'channel') return /#[\w-]+/.exec(text)?.[0] ?? null
  if (schema.format === 'email') return /[\w.+-]+@[\w-]+\.[\w.]*\w/.exec(text)?.[0] ?? null
  if (/^(?:text|title|name|subject|item)$/.test(name)) return quoted ?? /:\s+(\S.*)$/s.exec(text)?.[1] ?? null
  if (name === 'words') return quoted ?? (soughtThere(text, app) || null)
  return null
}

const soughtThere = (text: string, app: string) =>
  begun(text)
    .replace(toApp(app), '')
    .replace(/^\S+\s+(?:(?:for|up|at|out|me)\s+)?(?:(?:the|a|an|my|our|any|all)\s+)?/i, '')
    .replace(/^(?:files?|documents?|e?-?mails?|messages?)\s+(?:called|named|about|with|from)\s+(?:(?:the|a|an|my|our)\s+)?/i, '')
    .replace(/[?.!\s]+$/, '')
