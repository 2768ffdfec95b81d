import { adVariations } from './ads.ts'
import type { Question } from './answer.ts'
import { email, emailBlocks, subjects } from './mails.ts'
import { inShort } from './tasks.ts'
import { soughtIn } from './words.ts'
import { blog } from './writing.ts'

type Schema = Record<string, any>

/** A value that the schema accepts, with words that fit the names of its fields. */
export function fromSchema(schema: Schema, question: Question, root: Schema = schema, name = '', index = 0): unknown {
  if (schema.$ref) return fromSchema(resolve(schema.$ref, root), question, root, name, index)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return mentioned(schema.enum, question) ?? schema.enum[index % schema.enum.length]
  const branch = (schema.anyOf ?? schema.oneOf)?.find((each: Schema) => each.type !== 'null')
  if (branch) return fromSchema(branch, question, root, name, index)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each: Schema) => fromSchema(each, question, root, name, index)))
  const type = Array.isArray(schema.type) ? schema.type.find((each: string) => each !== 'null') : schema.type
  if (type === 'object' || schema.properties) return fields(schema, question, root, index)
  if (type === 'array') return items(schema, question, root, name)
  if (type === 'integer' || type === 'number') return amount(schema, name, question, index)
  if (type === 'boolean') return !/^(is_)?(error|spam|needs_|requires)/.test(name)
  return fitted(words(name, question, index), schema)
}

function fields(schema: Schema, question: Question, root: Schema, index: number) {
  const required: string[] = schema.required ?? Object.keys(schema.properties ?? {})
  const entries = Object.entries<Schema>(schema.properties ?? {}).filter(([name]) => required.includes(name))
  return Object.fromEntries(entries.map(([name, each]) => [name, fromSchema(each, question, root, name, index)]))
}

function items(schema: Schema, question: Question, root: Schema, name: string) {
  if (name === 'blocks' && schema.items?.properties?.kind) return emailBlocks(question)
  if (name === 'subjects') return subjects(question)
  const count = Math.min(Math.max(schema.minItems ?? 3, 1), schema.maxItems ?? 8)
  return Array.from({ length: count }, (_, index) => fromSchema(schema.items ?? { type: 'string' }, question, root, singular(name), index))
}

function amount(schema: Schema, name: string, question: Question, index: number) {
  const said = Number(/\b(\d+(?:\.\d+)?)\b/.exec(question.text)?.[1] ?? Number.NaN)
  const guess = /confidence|score|probability/.test(name) ? 0.85 : Number.isFinite(said) ? said : 3 + index
  const value = Math.min(Math.max(guess, schema.minimum ?? guess), schema.maximum ?? guess)
  return schema.type === 'integer' ? Math.round(value) : value
}

function words(name: string, question: Question, index: number): string {
  const ads = adVariations(question)
  const ad = ads[index % ads.length]!
  const key = name.toLowerCase()
  if (key in ad) return ad[key as keyof typeof ad]
  if (/e-?mail|^to$|recipient/.test(key)) return /[\w.+-]+@[\w-]+\.[\w.]+/.exec(question.text)?.[0] ?? 'jordan@example.com'
  if (/url|link/.test(key)) return /https?:\/\/\S+/.exec(question.text)?.[0] ?? 'https://www.example.com'
  if (/subject/.test(key)) return /^Subject: (.*)$/m.exec(email(question))?.[1] ?? question.topic
  if (/^(body|html)$|email_body|message/.test(key)) return email(question).replace(/^Subject: .*\n+/, '')
  if (/article|blog/.test(key)) return blog(question)
  if (/summary|analysis/.test(key)) return inShort(question)
  if (/insight/.test(key)) return insights[index % insights.length]!
  if (/recommendation|action|suggest|next/.test(key)) return actions[index % actions.length]!
  if (/benefit/.test(key)) return benefits[index % benefits.length]!
  if (/specification/.test(key)) return specifications[index % specifications.length]!
  if (/quote/.test(key)) return question.text.replace(/^.*?\bremember (?:that )?/is, '').trim()
  if (/query/.test(key)) return soughtIn(question.text)
  if (/prompt|question|subject_matter|description/.test(key)) return question.text.trim().slice(0, 400) || question.topic
  if (/^(route|path|page|screen|destination|location|city)/.test(key)) return place(question)
  if (/date|time/.test(key)) return '2026-12-01T10:00:00Z'
  if (/title|name|topic/.test(key)) return title(question.topic)
  return question.topic
}

const insights = [
  'Revenue is concentrated in the first week of the month.',
  'Returning customers spend about a third more than new ones.',
  'Replies within an hour convert twice as often as later ones.',
]
const benefits = [
  'Ready when you need it, without a setup to read first',
  'Made to last, and easy to repair',
  'One price, with nothing to add later',
]
const specifications = ['Size: [fill in]', 'Material: [fill in]', 'Delivery: [fill in]']
const actions = [
  'Follow up with the five warmest leads today',
  'Move budget to the campaign with the best return',
  'Schedule a win-back email for quiet customers',
]

function place({ text }: Question) {
  const found = /\b(?:go to|open|navigate to|in|at|for)\s+(?:the\s+|my\s+)?([A-Za-z][\w -]{1,40})/i.exec(text)?.[1]
  return (found ?? 'dashboard').replace(/\b(and|please|then)\b.*$/i, '').trim()
}

function mentioned(options: unknown[], question: Question) {
  const text = question.text.toLowerCase()
  return options.find(
    (option) => typeof option === 'string' && option.length > 1 && text.includes(option.toLowerCase().replaceAll(/[_-]/g, ' ')),
  )
}

function fitted(text: string, schema: Schema) {
  const padded = text.length < (schema.minLength ?? 0) ? text.padEnd(schema.minLength, ' and more') : text
  return schema.maxLength ? padded.slice(0, schema.maxLength).trimEnd() : padded
}

function resolve(ref: string, root: Schema): Schema {
  const found = ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .reduce<any>((at, part) => at?.[part], root)
  return found ?? { type: 'string' }
}

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/s$/, '')
const title = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
