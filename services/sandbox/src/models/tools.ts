import { createHash } from 'node:crypto'
import type { ChatBody, Question } from './answer.ts'
import { doInApp, lookInApp } from './in-apps.ts'
import { fromSchema } from './schema.ts'
import { isQuestion } from './tasks.ts'

export type Tool = { type: 'function'; function: { name: string; description?: string; parameters?: Record<string, any> } }
export type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

/** The tools whose name the question asks for, as parallel calls; none when the question is only a question. */
export function chooseTools(body: ChatBody, question: Question): ToolCall[] {
  const tools = body.tools!.filter((tool) => tool.type === 'function')
  const choice = body.tool_choice
  if (typeof choice === 'object')
    return tools.filter((tool) => tool.function.name === choice.function.name).map((tool) => call(tool, question))
  if (choice !== 'required' && body.messages.at(-1)?.role === 'tool') {
    const since = body.messages.slice(body.messages.findLastIndex(({ role }) => role === 'user') + 1)
    const wish = doInApp(since, tools, question)
    return wish ? [callWith(wish, question)] : draftsFor(body, tools, question)
  }
  // A question leads nobody to another page, whatever page it names.
  const leads = isQuestion(question) ? /^(navigate|open-page)$/ : /^$/
  // A model that is told to write in the answer takes no tool for one text.
  const writes = /\bwrite texts yourself\b/i.test(question.system) ? /^(write|suggest|generate)-/ : /^$/
  const offered = tools.filter(
    ({ function: { name, parameters } }) =>
      !leads.test(name) && !writes.test(name) && (name !== 'open-page' || mentions(parameters, question)),
  )
  const scored = offered.map((tool) => ({ tool, score: score(tool, question.text.toLowerCase()) })).sort((a, b) => b.score - a.score)
  const all = scored.filter((each) => each.score >= 2)
  const look = lookInApp(
    tools,
    all.map(({ tool }) => tool),
    question,
  )
  if (look) return [callWith(look, question)]
  // Own figures are looked up here, not on the web; what is written about them comes after they are known.
  const isOwn = all.some(({ tool }) => tool.function.name.startsWith('list-'))
  const fitting = isOwn ? all.filter(({ tool }) => tool.function.name.startsWith('list-')) : all
  const chosen = fitting.length > 0 || choice !== 'required' ? fitting : scored.slice(0, 1)
  return chosen.slice(0, body.parallel_tool_calls === false ? 1 : 4).map(({ tool }) => call(tool, question))
}

/** "Draft a thank-you to each": one draft for every row that was looked up, as far as so many were asked for. */
function draftsFor(body: ChatBody, tools: Tool[], { text }: Question): ToolCall[] {
  const draft = tools.find(({ function: { name } }) => name === 'write-email')
  const since = body.messages.slice(body.messages.findLastIndex(({ role }) => role === 'user') + 1)
  const isDone = since.some(({ tool_calls = [] }) => tool_calls.some((call) => call.function.name === 'write-email'))
  if (!draft || isDone || !/\b(draft|write)\b/i.test(text)) return []
  const rows = since.filter(({ role }) => role === 'tool').flatMap(({ content }) => rowsIn(content))
  const asked = counts.findIndex((word) => new RegExp(`\\b${word}\\b`, 'i').test(text)) + 1
  return rows.slice(0, asked || 3).map((row, at) => {
    const paid = typeof row.amount_cents === 'number' ? ` of $${(row.amount_cents / 100).toFixed(2)}` : ''
    const about = `Thank you for the payment${paid}${row.description ? `: ${row.description}` : ''}`
    return {
      id: `call_draft_${at + 1}`,
      type: 'function',
      function: { name: 'write-email', arguments: JSON.stringify({ about, tone: 'warm' }) },
    }
  })
}
const counts = ['one', 'two', 'three', 'four', 'five']

function rowsIn(content: unknown): Record<string, any>[] {
  try {
    return Object.values((JSON.parse(String(content)) as { data?: object }).data ?? {}).find(Array.isArray) ?? []
  } catch {
    return []
  }
}

// `create_voice_agent` fits when the question has most of its words; the description alone only tips the balance.
function score(tool: Tool, text: string): number {
  const words = tool.function.name
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2)
  const hits = words.filter(
    (word) => says(text, word.replace(/s$/, '')) || (synonyms[word] ?? []).some((other) => says(text, other)),
  ).length
  if (hits === words.length) return 2 + hits
  const described = (tool.function.description ?? '')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 4 && text.includes(word)).length
  return hits + (described >= 3 ? 1 : 0)
}

const says = (text: string, word: string) => new RegExp(`\\b${word}(s|es)?\\b`).test(text)

const synonyms: Record<string, string[]> = {
  navigate: ['go to', 'open', 'take me'],
  open: ['go to', 'take me', 'navigate to'],
  page: ['lab', 'studio', 'dashboard', 'creator', 'builder', 'manager', 'settings', 'calendar'],
  send: ['mail', 'message'],
  email: ['e-mail', 'mail'],
  generate: ['create', 'make', 'draw', 'write', 'draft'],
  content: ['blog', 'blog post', 'post', 'article', 'text', 'caption', 'copy', 'e-mail', 'email', 'script'],
  suggest: ['find', 'propose', 'give me', 'brainstorm', 'ideas'],
  create: ['make', 'set up', 'setup', 'generate', 'add'],
  image: ['picture', 'photo', 'logo'],
  search: ['find', 'look up', 'research'],
  web: ['search', 'research', 'find'],
  get: ['show', 'what', 'how', 'read', 'weather', 'list'],
  read: ['show', 'analyze', 'get'],
  list: ['show', 'what', 'which', 'find', 'last'],
  count: ['how many', 'number of'],
  contacts: ['lead'],
  usage: ['prompts did i use', 'prompts have i used', 'prompts do i have left', 'prompts are left'],
}

/** Whether one of the pages that may be opened was named. */
const mentions = (parameters: Tool['function']['parameters'], { text }: Question): boolean =>
  (parameters?.properties?.page?.enum ?? []).some((page: string) => text.toLowerCase().includes(page.replaceAll('-', ' ')))

const isId = (schema: Record<string, any>): boolean => schema.format === 'uuid' || (schema.items !== undefined && isId(schema.items))

function callWith({ name, input }: { name: string; input: object }, { text }: Question): ToolCall {
  const id = createHash('sha256').update(`${name}:${text}`).digest('hex').slice(0, 24)
  return { id: `call_${id}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function call(tool: Tool, question: Question): ToolCall {
  const input = (tool.function.parameters ? fromSchema(tool.function.parameters, question) : {}) as Record<string, unknown>
  // A first page is asked for without one.
  if (!tool.function.parameters?.required?.includes('cursor')) delete input.cursor
  // Ids that nobody said cannot be made up: what may be left out is.
  for (const [name, schema] of Object.entries<Record<string, any>>(tool.function.parameters?.properties ?? {}))
    if (isId(schema) && !tool.function.parameters?.required?.includes(name)) delete input[name]
  return callWith({ name: tool.function.name, input }, question)
}
