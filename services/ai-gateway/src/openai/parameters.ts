import { DomainError } from '@operon/kit/errors'

type Fields = Record<string, unknown>
/** Why a value is refused; nothing where it may pass. */
type Check = (value: any) => string | undefined

const passes: Check = () => undefined
const oneOf =
  (...allowed: unknown[]): Check =>
  (value) =>
    allowed.includes(value) ? undefined : `only ${allowed.map((each) => JSON.stringify(each)).join(' or ')} is supported`
const only =
  (kind: 'object' | 'string', why: string): Check =>
  (value) =>
    typeof value === kind ? undefined : why

/** The allowed parameters. Others could cost more than the reservation holds, or leave data with the provider, so they are refused by name. */
const allowed: Record<string, Check> = {
  messages: passes,
  temperature: passes,
  top_p: passes,
  stop: passes,
  seed: passes,
  frequency_penalty: passes,
  presence_penalty: passes,
  logit_bias: passes,
  logprobs: passes,
  top_logprobs: passes,
  // Bounded by the plan's longest answer as well.
  max_tokens: (most) => (Number.isInteger(most) && most > 0 ? undefined : 'a whole number above 0 is needed'),
  max_completion_tokens: (most) => (Number.isInteger(most) && most > 0 ? undefined : 'a whole number above 0 is needed'),
  response_format: only('object', 'an object is needed'),
  tools: passes,
  tool_choice: passes,
  parallel_tool_calls: passes,
  reasoning_effort: passes,
  verbosity: passes,
  user: passes,
  safety_identifier: passes,
  prompt_cache_key: passes,
  n: oneOf(1),
  modalities: (kinds) => (Array.isArray(kinds) && kinds.every((kind) => kind === 'text') ? undefined : 'answers are text'),
  store: oneOf(false),
  service_tier: oneOf('auto', 'default'),
  stream_options: only('object', 'an object is needed'),
}
/** The words for those that people do send. */
const refused: Record<string, string> = {
  functions: 'this older form is not supported; send `tools`',
  function_call: 'this older form is not supported; send `tool_choice`',
  audio: 'answers are text',
  metadata: 'answers are not stored, so there is nothing to label',
  prediction: 'predicted output is not supported',
  web_search_options: 'choose a model with search, perplexity for instance',
  best_of: 'one answer a request is supported',
}

/** The parameters that may go on to a provider; null is as if it were not there. */
export function checkedParameters<B extends Fields & { messages: Fields[] }>(body: B): B {
  for (const [param, value] of Object.entries(body)) {
    if (value === null || value === undefined) continue
    const check = Object.hasOwn(allowed, param) ? allowed[param] : undefined
    if (!check) refuse(param, refused[param] ?? 'this parameter is not supported')
    const why = check?.(value)
    if (why) refuse(param, why)
  }
  checkFields(body.stream_options, ['include_usage', 'include_obfuscation'], 'stream_options')
  for (const [at, message] of body.messages.entries()) checkMessage(message, `messages[${at}]`)
  for (const [at, tool] of listOf(body.tools, 'tools').entries()) {
    if (tool.type !== 'function') refuse(`tools[${at}].type`, 'only tools of type "function" are supported')
    checkFields(tool, ['type', 'function'], `tools[${at}]`)
    checkFields(tool.function, ['name', 'description', 'parameters', 'strict'], `tools[${at}].function`)
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as B
}

function checkMessage(message: Fields, at: string) {
  checkFields(message, ['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'refusal'], at)
  if (!Array.isArray(message.content)) return
  for (const [n, part] of message.content.entries()) {
    if (part?.type !== 'text' && part?.type !== 'refusal') refuse(`${at}.content[${n}].type`, 'messages are text')
    checkFields(part, ['type', 'text', 'refusal'], `${at}.content[${n}]`)
  }
}

function checkFields(fields: unknown, known: string[], at: string) {
  if (!fields || typeof fields !== 'object') return
  for (const [name, value] of Object.entries(fields))
    if (!known.includes(name) && value !== null) refuse(`${at}.${name}`, 'this parameter is not supported')
}

function listOf(value: unknown, param: string): Fields[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || !value.every((each) => each && typeof each === 'object')) return refuse(param, 'a list of objects is needed')
  return value
}

export function refuse(param: string, why: string): never {
  throw new DomainError('invalid', { message: `${param}: ${why}.`, details: { param } })
}
