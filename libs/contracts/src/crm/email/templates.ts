import { z } from 'zod'
import { changing, col, oneLine, reading, time } from '../../contract.ts'
import { EmailDocument } from './document.ts'
import { exampleId, template_id } from './shapes.ts'

// Templates: designs to begin campaigns and single emails from. Ours are in `starters.ts`.

export const MOST_TEMPLATES = 100
const Listed = z.object({
  template_id,
  name: z.string(),
  subject: z.string(),
  /** Comes with the product, so it cannot be changed. */
  ours: z.boolean(),
  changed_at: time.nullable(),
})
const Template = Listed.extend({ document: EmailDocument })
const listed: z.output<typeof Listed> = {
  template_id: exampleId,
  name: 'Monthly news',
  subject: 'News from the harbor',
  ours: false,
  changed_at: '2026-11-24T10:00:00.000Z',
}

export const listEmailTemplates = reading('list-email-templates', {
  summary: 'Lists the templates for emails: your own, newest first, then ours',
  description: 'Their blocks are read one template at a time.',
  body: z.object({}).prefault({}),
  reply: z.object({ templates: z.array(Listed).max(MOST_TEMPLATES + 20) }),
  example: { request: {}, reply: { templates: [listed] } },
  errors: [],
  action: {
    title: 'List email templates',
    when: 'The person asks which email templates there are, or before a campaign is made from one',
    effect: 'reads',
    evidence: { rows: 'templates', columns: { name: col.text('Template'), subject: col.text('Subject') } },
  },
})

export const showEmailTemplate = reading('show-email-template', {
  summary: 'Shows a template with its design',
  body: z.object({ template_id }),
  reply: Template,
  errors: ['not_found'],
})

export const deleteEmailTemplate = changing('delete-email-template', {
  summary: 'Deletes a template of your own',
  description: 'Campaigns that began from it stay as they are.',
  body: z.object({ template_id: z.uuid().meta({ 'x-id': 'email_template' }) }),
  reply: z.object({ deleted: z.boolean() }),
  errors: ['not_found'],
})

export const saveEmailTemplate = changing('save-email-template', {
  summary: 'Saves a design as a template, or changes the one that is named',
  body: z.object({
    template_id: z.uuid().meta({ 'x-id': 'email_template' }).optional(),
    name: oneLine(120).min(1),
    subject: oneLine(200).default(''),
    document: EmailDocument,
  }),
  reply: Listed,
  errors: ['not_found', 'templates_full'],
})
