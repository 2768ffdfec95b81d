import { createHash } from 'node:crypto'
import { adCopy, adVariations } from './ads.ts'
import { actionsIn } from './in-apps.ts'
import { email } from './mails.ts'
import { names } from './names.ts'
import { fromSchema } from './schema.ts'
import { isFact, smallTalk } from './smalltalk.ts'
import { analysis, automated, isQuestion, made, onlyAnswered, taskOf, unproposed } from './tasks.ts'
import { contentText, tokensOf } from './tokens.ts'
import { chooseTools, type Tool, type ToolCall } from './tools.ts'
import { inFourVoices } from './voices.ts'
import { searching, soughtIn } from './words.ts'
import { blog, chat, helpAnswer, points, productDescription, research, socialPosts, videoScript } from './writing.ts'

export type ChatMessage = { role: string; content?: unknown; tool_calls?: ToolCall[]; tool_call_id?: string; name?: string }
export type ChatBody = {
  model: string
  messages: ChatMessage[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  max_tokens?: number
  max_completion_tokens?: number
  stop?: string | string[]
  tools?: Tool[]
  tool_choice?: 'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } }
  parallel_tool_calls?: boolean
  response_format?: { type: string; json_schema?: { name: string; schema: Record<string, any> } }
  user?: string
}
export type Answer = { text: string; tools: ToolCall[]; finish: 'stop' | 'length' | 'tool_calls'; citations: string[] }

/** The kind of question, told from its words alone, and its topic. */
export type Question = {
  text: string
  system: string
  all: string
  topic: string
  /** The answer before, which a short question may be about. */
  before: string | null
  provider: string
  pick: <T>(from: readonly T[], salt?: number) => T
}

/** The same question gets the same answer. */
export function answer(body: ChatBody, provider: string, seed: string): Answer {
  const question = read(body, provider, seed)
  const tools = body.tools && body.tool_choice !== 'none' ? chooseTools(body, question) : []
  const sought = provider === 'perplexity' && !isFact(question) && !smallTalk(question)
  const citations = sought ? sources(soughtIn(question.text)) : []
  if (tools.length > 0) return { text: '', tools, finish: 'tool_calls', citations }
  return limit({ text: compose(body, question, citations), tools: [], finish: 'stop', citations }, body)
}

function compose(body: ChatBody, question: Question, citations: string[]): string {
  const results = body.messages
    .slice(body.messages.findLastIndex((message) => message.role === 'user') + 1)
    .filter((message) => message.role === 'tool')
  const format = body.response_format
  if (format?.type === 'json_schema' && format.json_schema) return JSON.stringify(fromSchema(format.json_schema.schema, question))
  const told = results.length > 0 && ofTools(results.map((result) => contentText(result.content)))
  if (told) return told
  if (results.length > 0)
    return `Done. ${results.map((result) => summary(contentText(result.content))).join(' ')} Tell me if you want anything changed.`
  const kind = kindOf(question)
  if (format?.type === 'json_object')
    return JSON.stringify(kind === 'ads' ? { ads: adVariations(question) } : { answer: write(kind, question), topic: question.topic })
  if (citations.length > 0 && kind === 'chat') return inFourVoices(question) ?? research(question)
  const text = asTask(kind, question)
  if (citations.length === 0) return text
  return `${text}\n\nThis follows published guidance on ${question.topic} [1][2].`
}

/** The analyst's six kinds of task: the same question is answered as what it is to be. */
function asTask(kind: Kind, question: Question): string {
  const task = taskOf(question)
  if (task === 'analysis') return analysis(question)
  if (task === 'automation') return automated(question)
  if (task === 'voice') return spoken(write(kind, question))
  if (kind !== 'chat' && kind !== 'analysis') return write(kind, question)
  if (task === 'action') return isQuestion(question) ? onlyAnswered(question, write(kind, question)) : unproposed(question)
  if (task === 'creation') return made(question)
  return task === 'general' ? points(write(kind, question)) : write(kind, question)
}

/** For somebody who listens: two sentences, without what only an eye can read. */
function spoken(text: string): string {
  const prose = text.replace(/^(?:\||#|```).*$/gm, '').replace(/^\s*(?:[-*>]|\d+\.)\s+/gm, '')
  const sentences = prose.replace(/\*+|`/g, '').match(/[^\n.!?]+[.!?]+(?=\s|$)/g) ?? []
  // A question inside quotes does not end a sentence.
  const whole = sentences.map((each) => each.trim()).filter((each) => (each.match(/"/g)?.length ?? 0) % 2 === 0)
  const heard = whole.filter((each) => !/\b(here (is|are)|below|above|table|line first)\b|^(it|that|this|the second)\b/i.test(each))
  return heard.slice(0, 2).join(' ') || whole.slice(0, 2).join(' ') || text
}

type Kind = 'names' | 'ads' | 'social' | 'video' | 'email' | 'blog' | 'product' | 'help' | 'analysis' | 'chat'

// The most telling words first: a "blog about e-mail marketing" is a blog.
const kinds: [Kind, RegExp][] = [
  ['names', /\b(business|company|brand|product|startup|domain)\s+names?\b|\bnames? (ideas|for (a|my|the|an))\b/],
  ['ads', /primary[_ ]text|\bad (variation|cop(y|ies))|\bads? variations?\b|\bfacebook ads?\b|\bcreate (three|3) ads?\b/],
  ['blog', /\bblog( post)?\b|\barticle\b/],
  ['video', /\bvideo script\b|\bscript for (a|the) video\b|\bvideo\b.*\bscript\b/],
  ['social', /\bsocial (media )?(posts?|captions?)\b|\b(5|five) (social )?posts\b|\bsocial\b.*\bposts\b/],
  ['product', /\bproduct description\b|\bdescribe (the|this|my) product\b/],
  [
    'email',
    /\b(write|draft|generate|create|compose|send)\b[^.]*\b(e-?mail|letter|follow-up for a quote)\b|\be-?mail (campaign|copy|draft|newsletter|about|to)\b/,
  ],
  ['analysis', /\banaly[sz]e?\b|\banalysis\b|\binsights?\b|\bkpis?\b|\bforecast\b|\btrends?\b/],
]

function kindOf(question: Question): Kind {
  const user = question.text.toLowerCase()
  const named = kinds.find(([, words]) => words.test(user))
  if (named) return named[0]
  if (/\bhelp\b|\bsupport\b|\bdocumentation\b|\bcontext\b/.test(question.system.toLowerCase()) && question.system.length > 400)
    return 'help'
  const hinted = kinds.find(([kind, words]) => kind !== 'analysis' && kind !== 'email' && words.test(question.system.toLowerCase()))
  return hinted ? hinted[0] : 'chat'
}

function write(kind: Kind, question: Question): string {
  if (kind === 'names') return names(question)
  if (kind === 'ads') return /json|primary_text/i.test(question.all) ? JSON.stringify(adVariations(question), null, 2) : adCopy(question)
  if (kind === 'email') return email(question)
  if (kind === 'blog') return blog(question)
  if (kind === 'social') return socialPosts(question)
  if (kind === 'video') return videoScript(question)
  if (kind === 'product') return productDescription(question)
  if (kind === 'help') return helpAnswer(question)
  return kind === 'analysis' ? analysis(question) : chat(question)
}

function read(body: ChatBody, provider: string, seed: string): Question {
  const said = (role: string) => body.messages.filter((message) => message.role === role).map((message) => contentText(message.content))
  const text = said('user').at(-1) ?? ''
  const system = [...said('system'), ...said('developer')].join('\n')
  const hash = createHash('sha256').update(`${seed}:${body.model}:${text}`).digest()
  return {
    text,
    system,
    all: `${system}\n${text}`,
    topic: topicOf(text),
    before: said('assistant').at(-1) ?? null,
    provider,
    pick: (from, salt = 0) => from[hash.readUInt32BE((salt * 4) % 28) % from.length]!,
  }
}

const judging = /^\s*(?:please\s+)?(?:analy[sz]e|explain|describe|review|check|look at|forecast|improve|automate|summari[sz]e)\s+/i

function topicOf(asked: string): string {
  const text = asked.replace(searching, '')
  const email = /(?:^Design an email\. Request|^The email):\s*(?:(?:announce|promote|share)\s+)?([^.:\n]{3,90})/im.exec(text)?.[1]
  const labelled =
    /(?:topic|subject|product(?:\/service)?|business|company|description|details|for|about|on)\s*:\s*"?([^"\n]{3,120})/i.exec(text)?.[1]
  const quoted = /["“]([^"”\n]{3,120})["”]/.exec(text)?.[1]
  const about = /\b(?:about|regarding|on the topic of|promoting|selling|on|for)\s+(?:an?\s+|the\s+|my\s+|our\s+)?([^.,;:!?\n]{3,90})/i.exec(
    text,
  )?.[1]
  const found = (email ?? labelled ?? quoted ?? about ?? subjectOf(text))
    .replace(/\s+and (then |also )?(open|go|take|navigate|create|send|show)\b.*$/i, '')
    .trim()
  return found.split(/\s+/).slice(0, 12).join(' ') || 'your business'
}

/** The subject of a question: the words after "how do I" and the like. */
function subjectOf(text: string): string {
  const sentence = (text.split(/[.?!\n]/)[0] ?? '').replace(judging, '')
  return sentence.replace(
    /^\s*(?:please\s+)?(?:(?:what|how|why|when|where|which|who)(?:'s)?\s+)?(?:(?:is|are|do|does|did|can|could|should|would|will|to)\s+)?(?:(?:i|we|you|my|our|the)\s+)?(?:(?:tell|give|show|help)\s+(?:me|us)\s+)?/i,
    '',
  )
}

function limit(made: Answer, body: ChatBody): Answer {
  const stops = [body.stop ?? []].flat()
  const stopAt = Math.min(...stops.map((stop) => made.text.indexOf(stop)).filter((at) => at >= 0), made.text.length)
  const text = made.text.slice(0, stopAt)
  const most = body.max_completion_tokens ?? body.max_tokens
  if (!most) return { ...made, text }
  const tokens = tokensOf(text)
  return tokens.length <= most ? { ...made, text } : { ...made, text: tokens.slice(0, most).join(''), finish: 'length' }
}

const sources = (topic: string) => {
  const slug = topic
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50)
  return [
    `https://www.example.com/guides/${slug}`,
    `https://research.example.org/${slug}`,
    `https://news.example.net/small-business/${slug}`,
  ]
}

/** The looked-up rows and the waiting approvals, in words; null where the tools are about something else. */
function ofTools(all: string[]): string | null {
  const results = all.filter((result) => !actionsIn(result))
  if (results.length === 0) {
    const titles = all.flatMap((result) => actionsIn(result)!.map(({ title }) => title.toLowerCase()))
    return `Nothing has been done. What can be done there: ${titles.join(', ')}. Say which, and put the words that it needs in quotes.`
  }
  const read = results.map((result) => {
    try {
      return JSON.parse(result) as { data?: object; done?: string; proposed?: string; error?: string; remembered?: string }
    } catch {
      return {}
    }
  })
  const rows = read.flatMap(({ data }) => Object.values(data ?? {}).find(Array.isArray) ?? [])
  const proposed = read.filter((each) => each.proposed).length
  const errors = read.flatMap(({ error }) => error ?? [])
  const kept = read.flatMap(({ remembered }) => (remembered ? `I will keep this in mind: “${remembered}”.` : []))
  const done = read.some((each) => each.done) ? ['Done. You can undo it below.'] : []
  if (!proposed && done.length === 0 && errors.length === 0 && kept.length === 0 && !read.some(({ data }) => data)) return null
  const found = read.some(({ data }) => data)
    ? `I looked this up in your account${rows.length ? `: ${rows.length} found` : ''}. The rows are below.`
    : ''
  const waits = proposed
    ? `I prepared ${proposed === 1 ? 'one step' : `${proposed} steps`} for you to look at. Nothing happens until you approve.`
    : ''
  return [found, ...done, waits, ...kept, ...errors].filter(Boolean).join(' ')
}

function summary(result: string) {
  const line = result.replace(/\s+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 157)}...` : line
}
