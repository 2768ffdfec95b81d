import type { generateEmail, suggestSubjects } from '@operon/contracts/ai-gateway/writing'
import type { Input } from '@operon/contracts/contract'
import { EmailDocument } from '@operon/contracts/crm/email/document'
import { mergeFields, replaceFields } from '@operon/contracts/crm/email/merge'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { z } from 'zod'
import type { AnswerDeps } from '../completions/answer.ts'
import type { AiDb } from '../schema.ts'
import { AS_DATA, FOR_WHOM, shaped } from './shaped.ts'

/** As models write it: flat, every field there. What a kind does not use is empty. */
const Block = z.object({
  kind: z.enum(['heading', 'text', 'button', 'divider']),
  text: z.string(),
  url: z.string(),
})
const Design = z.object({
  title: z.string().trim().min(1),
  subjects: z.array(z.string().trim().min(1)).min(1),
  preview: z.string(),
  blocks: z.array(Block).min(1),
})

export async function designEmail(deps: AnswerDeps, ctx: Ctx<AiDb>, { request, tone, sender, accent, model }: Input<typeof generateEmail>) {
  const said = [`Design an email. Request: ${request}`, tone && `Tone: ${tone}`, sender?.name && `Sender: ${sender.name}`]
  const asked = { feature: 'email', model, system: SYSTEM, said: said.filter(Boolean).join('\n') }
  const { title, subjects, preview, blocks, ...answered } = await shaped(deps, ctx, asked, 'email_design', Design)
  const document = EmailDocument.safeParse({
    preview: clean(preview, 200),
    theme: { ...(accent && { accent }) },
    blocks: [
      ...blocks.slice(0, 30).flatMap(blockOf),
      { kind: 'footer', id: 'footer', name: sender?.name ?? '', address: sender?.address ?? '' },
    ],
  })
  if (!document.success || document.data.blocks.length < 2) throw new DomainError('upstream_failed')
  return { name: clean(title, 120), subjects: subjectsOf(subjects, 3), document: document.data, ...answered }
}

const Ideas = z.object({ subjects: z.array(z.string().trim().min(1)).min(1) })
export async function subjectIdeas(deps: AnswerDeps, ctx: Ctx<AiDb>, { text, subject, model }: Input<typeof suggestSubjects>) {
  const system = `${FOR_WHOM} Suggest five subjects for the email that is quoted: concrete, at most 60 characters, no shouting, none like another. ${AS_DATA}`
  const said = [`Suggest subjects for this email.`, subject && `Its subject now: ${subject}`, `The email: ${text}`]
    .filter(Boolean)
    .join('\n')
  const { subjects, ...answered } = await shaped(deps, ctx, { feature: 'email', model, system, said }, 'subjects', Ideas)
  return { subjects: subjectsOf(subjects, 5), ...answered }
}

const SYSTEM = `${FOR_WHOM} Design one marketing email of 4 to 10 blocks. Kinds: heading (text), text (paragraphs; marks are **bold**, *italic*, [label](https://…) and lines that begin with "- "), button (text is the label, url where it leads, empty when you do not know), divider. Open with a greeting by {{ first_name | default: "there" }}; other merge fields are {{ company }} and {{ name }}. One call to action. No signature, address or unsubscribe line: they are added. title names the email in a few words; give three subjects of at most 60 characters, and a preview line of at most 90. ${AS_DATA}`

/** Fields that contacts do not have would be empty for everybody, and a name without a fallback for some. */
const fallbacks: Record<string, string> = { company: 'your company', email: '' }
const known = new Set<string>(mergeFields.map(({ name }) => name))
function withKnownFields(text: string): string {
  const fields: string[] = []
  const marked = replaceFields(text.replace(/[\uE000\uE001]/g, ''), ({ name, fallback }) => {
    if (!known.has(name)) return fallback ?? ''
    const instead = fallback ?? fallbacks[name] ?? 'there'
    return `\uE000${fields.push(instead ? `{{ ${name} | default: "${instead}" }}` : `{{ ${name} }}`) - 1}\uE001`
  })
  return marked.replace(/\{\{|\}\}/g, '').replace(/\uE000(\d+)\uE001/g, (_, at) => fields[Number(at)]!)
}

export function blockOf({ kind, text, url }: z.output<typeof Block>, at: number): object[] {
  const id = `ai-${at + 1}`
  const said = withKnownFields(text).trim()
  if (kind === 'divider') return [{ kind, id }]
  if (!said) return []
  if (kind === 'heading') return [{ kind, id, text: clean(said.replace(/^#+\s*/, '').replaceAll('**', ''), 300), level: at === 0 ? 1 : 2 }]
  if (kind === 'button') return [{ kind, id, label: clean(said, 80), url: /^https:\/\//i.test(url.trim()) ? clean(url, 2000) : '' }]
  return [
    {
      kind,
      id,
      text: said
        .replace(/[^\P{Cc}\n]+/gu, ' ')
        .trim()
        .slice(0, 8000),
    },
  ]
}

const clean = (text: string, most: number) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, most)
const subjectsOf = (subjects: string[], most: number) =>
  [...new Set(subjects.map((each) => clean(withKnownFields(each).replace(/^(\d+[.)]\s*|subject:\s*|["“])|["”]$/gi, ''), 200)))]
    .filter(Boolean)
    .slice(0, most)
