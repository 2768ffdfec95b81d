import { z } from 'zod'
import { col, fn, oneLine } from '../../contract.ts'
import { EmailDocument } from './document.ts'
import { campaign_id, exampleId } from './shapes.ts'

// Checks before sending: what the document shows by itself, and what only a look at its links and at the sender's domain tells.

export const MOST_LINKS_CHECKED = 20
const Finding = z.object({
  code: z.string(),
  level: z.enum(['stops', 'warns']),
  text: z.string(),
  /** The block that it is about. */
  block_id: z.string().nullable(),
})
export const checkEmail = fn('check-email', {
  access: 'user',
  summary: 'Checks an email before it is sent: links, pictures, subject, size, sender',
  description: `Follows up to ${MOST_LINKS_CHECKED} links, without the parts that differ between recipients. Takes a campaign, or a document with its subject. Changes nothing.`,
  body: z
    .object({
      campaign_id: campaign_id.optional(),
      subject: oneLine(200).optional(),
      document: EmailDocument.optional(),
    })
    .meta({ examples: [{ campaign_id: exampleId }] }),
  reply: z.object({
    /** Nothing stops it. Warnings may be left. */
    ok: z.boolean(),
    findings: z.array(Finding).max(300),
    bytes: z.int(),
    links: z
      .array(
        z.object({
          url: z.string(),
          /** `unchecked`: it did not answer in time, or does not let programs look. */
          state: z.enum(['ok', 'broken', 'unchecked']),
          status: z.int().nullable(),
        }),
      )
      .max(MOST_LINKS_CHECKED),
  }),
  example: {
    request: { campaign_id: exampleId },
    reply: {
      ok: true,
      findings: [{ code: 'alt_missing', level: 'warns', text: 'A picture has no description.', block_id: 'b2' }],
      bytes: 4210,
      links: [{ url: 'https://harbour-cafe.example/menu', state: 'ok', status: 200 }],
    },
  },
  errors: ['not_found', 'campaign_incomplete', 'email_checks'],
  action: {
    title: 'Check an email',
    when: 'The person asks whether a campaign is ready, or why it might land in spam',
    effect: 'reads',
    evidence: { rows: 'findings', columns: { level: col.text('Level'), text: col.text('Finding') } },
  },
})
