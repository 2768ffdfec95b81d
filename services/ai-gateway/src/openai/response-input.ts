import { DomainError } from '@operon/kit/errors'

type Fields = Record<string, unknown>
type Message = Fields & { role: string }

const refuse = (param: string, why: string): never => {
  throw new DomainError('invalid', { message: `${param}: ${why}.`, details: { param } })
}
/** Fields that go on under their own name. */
const same = ['temperature', 'top_p', 'parallel_tool_calls', 'user', 'safety_identifier', 'prompt_cache_key'] as const
const known = new Set<string>([
  ...same,
  'input',
  'instructions',
  'max_output_tokens',
  'tools',
  'tool_choice',
  'text',
  'reasoning',
  'store',
  'truncation',
])

/** A request for a response as the chat completion that it is here, and the settings that the answer names again. */
export function chatBodyOf(given: Fields): { body: Fields & { messages: Message[] }; echoed: Fields } {
  for (const [param, value] of Object.entries(given))
    if (value !== null && value !== undefined && !known.has(param)) refuse(param, 'this parameter is not supported')
  const {
    input,
    instructions = null,
    max_output_tokens = null,
    tools = null,
    tool_choice = null,
    text = null,
    reasoning = null,
    store,
    truncation,
  } = given
  if (store) refuse('store', 'answers are not stored; send what was said before with each call')
  if (truncation && truncation !== 'disabled') refuse('truncation', 'only "disabled" is supported')
  if (instructions !== null && typeof instructions !== 'string') refuse('instructions', 'a text is needed')
  const said =
    typeof input === 'string'
      ? [{ role: 'user', content: input }]
      : Array.isArray(input)
        ? input.flatMap(messageOf)
        : refuse('input', 'a text or a list is needed')
  if (said.length === 0) refuse('input', 'there is nothing to answer')
  const body: Fields & { messages: Message[] } = {
    messages: [...(instructions ? [{ role: 'system', content: instructions }] : []), ...joined(said as Message[])],
  }
  for (const name of same) if (given[name] !== null && given[name] !== undefined) body[name] = given[name]
  if (max_output_tokens !== null) body.max_completion_tokens = max_output_tokens
  if (tools !== null) body.tools = toolsOf(tools)
  if (tool_choice !== null) body.tool_choice = choiceOf(tool_choice)
  const format = formatOf(text)
  if (format) body.response_format = format
  const effort = reasoning === null ? null : (reasoning as Fields).effort
  if (effort) body.reasoning_effort = effort
  const echoed = {
    instructions,
    max_output_tokens,
    tools: tools ?? [],
    tool_choice: tool_choice ?? 'auto',
    text: text ?? { format: { type: 'text' } },
    parallel_tool_calls: given.parallel_tool_calls ?? true,
    temperature: given.temperature ?? null,
    top_p: given.top_p ?? null,
    truncation: 'disabled',
  }
  return { body, echoed }
}

function messageOf(item: unknown, at: number): Message[] {
  const name = `input[${at}]`
  if (!item || typeof item !== 'object') return refuse(name, 'an object is needed')
  const { type = 'message', role, content, call_id, name: called, arguments: given, output } = item as Fields
  if (type === 'function_call')
    return [
      { role: 'assistant', content: null, tool_calls: [{ id: call_id, type: 'function', function: { name: called, arguments: given } }] },
    ]
  if (type === 'function_call_output') return [{ role: 'tool', tool_call_id: call_id, content: contentOf(output, `${name}.output`) }]
  if (type !== 'message') return refuse(`${name}.type`, 'only messages, function calls and their outputs are supported')
  if (typeof role !== 'string') return refuse(`${name}.role`, 'a role is needed')
  return [{ role: role === 'developer' ? 'system' : role, content: contentOf(content, `${name}.content`) }]
}

function contentOf(content: unknown, at: string): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return refuse(at, 'a text or a list of texts is needed')
  return content
    .map((part, n) => {
      const { type, text } = (part ?? {}) as Fields
      if (!['input_text', 'output_text', 'text'].includes(String(type)) || typeof text !== 'string')
        return refuse(`${at}[${n}].type`, 'messages are text')
      return text
    })
    .join('\n')
}

/** Calls made at once are one message of the assistant there. */
function joined(messages: Message[]): Message[] {
  const all: Message[] = []
  for (const message of messages) {
    const before = all.at(-1)
    if (message.tool_calls && before?.tool_calls) (before.tool_calls as unknown[]).push(...(message.tool_calls as unknown[]))
    else all.push(message)
  }
  return all
}

function toolsOf(tools: unknown): unknown[] {
  if (!Array.isArray(tools)) return refuse('tools', 'a list of objects is needed')
  return tools.map((tool: Fields, at) => {
    if (tool?.type !== 'function') return refuse(`tools[${at}].type`, 'only tools of type "function" are supported')
    const { type: _, strict, name, description, parameters, ...unknown } = tool
    const [other] = Object.keys(unknown)
    if (other) refuse(`tools[${at}].${other}`, 'this parameter is not supported')
    return { type: 'function', function: { name, ...(description ? { description } : {}), parameters, ...(strict ? { strict } : {}) } }
  })
}

function choiceOf(choice: unknown): unknown {
  if (typeof choice === 'string') return choice
  const { type, name } = choice as Fields
  return type === 'function' ? { type: 'function', function: { name } } : refuse('tool_choice', 'a word or a function is needed')
}

function formatOf(text: unknown): unknown {
  const format = (text as { format?: Fields } | null)?.format
  if (!format || format.type === 'text') return null
  if (format.type === 'json_object') return { type: 'json_object' }
  if (format.type !== 'json_schema') return refuse('text.format.type', 'only text, json_object and json_schema are supported')
  const { name, schema, strict } = format
  return { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && strict !== null ? { strict } : {}) } }
}
