import { createHash } from 'node:crypto'
import type { ChatBody, Question } from './answer.ts'
import { fromSchema } from './schema.ts'

export type Tool = { type: 'function'; function: { name: string; description?: string; parameters?: Record<string, any> } }
export type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

/** The tools whose name the question asks for, as parallel calls; none when the question is only a question. */
export function chooseTools(body: ChatBody, question: Question): ToolCall[] {
  const tools = body.tools!.filter((tool) => tool.type === 'function')
  const choice = body.tool_choice
  if (typeof choice === 'object')
    return tools.filter((tool) => tool.function.name === choice.function.name).map((tool) => call(tool, question))
  if (choice !== 'required' && body.messages.at(-1)?.role === 'tool') return []
  const scored = tools.map((tool) => ({ tool, score: score(tool, question.text.toLowerCase()) })).sort((a, b) => b.score - a.score)
  const fitting = scored.filter((each) => each.score >= 2)
  const chosen = fitting.length > 0 || choice !== 'required' ? fitting : scored.slice(0, 1)
  return chosen.slice(0, body.parallel_tool_calls === false ? 1 : 4).map(({ tool }) => call(tool, question))
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
  list: ['show', 'what', 'which'],
}

function call(tool: Tool, question: Question): ToolCall {
  const id = createHash('sha256').update(`${tool.function.name}:${question.text}`).digest('hex').slice(0, 24)
  const input = tool.function.parameters ? fromSchema(tool.function.parameters, question) : {}
  return { id: `call_${id}`, type: 'function', function: { name: tool.function.name, arguments: JSON.stringify(input) } }
}
