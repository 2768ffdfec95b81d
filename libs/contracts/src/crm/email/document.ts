import { z } from 'zod'

// An email as its blocks. What a person typed is kept as it is, also half a link: the renderer leaves out what is not safe, and the checks say so.

const blockId = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,40}$/)
  .meta({ examples: ['b1'] })
const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}]*$/u)
/** Merge fields, `**bold**`, `*italic*`, `[label](https://…)` and lines that begin with `- `. */
const marked = (max: number) => z.string().max(max)
const address = line(2000)
const align = z.enum(['left', 'center', 'right']).default('left')

const Heading = z.object({
  kind: z.literal('heading'),
  id: blockId,
  text: line(300),
  level: z.union([z.literal(1), z.literal(2), z.literal(3)]).default(1),
  align,
})
const Text = z.object({ kind: z.literal('text'), id: blockId, text: marked(8000), align })
const Image = z.object({
  kind: z.literal('image'),
  id: blockId,
  url: address,
  alt: line(300),
  /** Where a click leads. */
  link: address.default(''),
  /** Percent of the width that is there. */
  width: z.int().min(10).max(100).default(100),
  align: align.default('center'),
})
const Button = z.object({ kind: z.literal('button'), id: blockId, label: line(80), url: address, align })
const Divider = z.object({ kind: z.literal('divider'), id: blockId })
const Spacer = z.object({ kind: z.literal('spacer'), id: blockId, height: z.int().min(4).max(120).default(24) })
const Product = z.object({
  kind: z.literal('product'),
  id: blockId,
  title: line(200),
  text: marked(1000).default(''),
  price: line(40).default(''),
  image: address.default(''),
  url: address,
  label: line(80).default('View'),
})
export const socialNetworks = ['website', 'facebook', 'instagram', 'linkedin', 'x', 'youtube', 'tiktok', 'pinterest'] as const
const Social = z.object({
  kind: z.literal('social'),
  id: blockId,
  links: z.array(z.object({ network: z.enum(socialNetworks), url: address })).max(8),
  align: align.default('center'),
})
/** The sender and their address: laws on commercial email ask for a postal address. The links to leave are always added. */
const Footer = z.object({ kind: z.literal('footer'), id: blockId, name: line(120), address: line(300), text: marked(1000).default('') })

/** A block that can stand in a column. */
export const EmailPart = z.discriminatedUnion('kind', [Heading, Text, Image, Button, Divider, Spacer, Product])
const Columns = z.object({
  kind: z.literal('columns'),
  id: blockId,
  columns: z.array(z.array(EmailPart).max(8)).min(2).max(3),
})
export const EmailBlock = z.discriminatedUnion('kind', [...EmailPart.options, Columns, Social, Footer])

export const emailFonts = ['sans', 'serif', 'mono'] as const
export const EmailTheme = z.object({
  accent: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/)
    .meta({ examples: ['#456a00'] })
    .default('#456a00'),
  font: z.enum(emailFonts).default('sans'),
  /** A panel on a tinted page, or one plain page. */
  frame: z.enum(['panel', 'plain']).default('panel'),
})

export const MOST_BLOCKS = 60
/** Each one is filled for every recipient, with up to a few thousand characters. */
export const MOST_FIELDS = 400
/** Of the whole document as JSON: twice what Gmail shows of an email. */
export const MOST_DOCUMENT_CHARACTERS = 200_000
export const EmailDocument = z
  .object({
    version: z.literal(1).default(1),
    /** The line that a list of emails shows beside the subject. */
    preview: line(200).default(''),
    theme: EmailTheme.prefault({}),
    blocks: z.array(EmailBlock).max(MOST_BLOCKS),
  })
  .refine((document) => JSON.stringify(document).length <= MOST_DOCUMENT_CHARACTERS, 'This email is too long. Remove some blocks.')
  .refine(
    (document) => JSON.stringify(document).split('{{').length - 1 <= MOST_FIELDS,
    'This email has too many merge fields. Remove some.',
  )
  .meta({
    examples: [
      {
        version: 1,
        preview: 'Two new blends for spring',
        theme: { accent: '#456a00', font: 'sans', frame: 'panel' },
        blocks: [
          { kind: 'heading', id: 'b1', text: 'Spring is here', level: 1, align: 'left' },
          { kind: 'text', id: 'b2', text: 'Hi {{ first_name | default: "there" }},\n\nwe have **two new blends**.', align: 'left' },
          { kind: 'button', id: 'b3', label: 'See them', url: 'https://example.com/spring', align: 'left' },
          { kind: 'footer', id: 'b4', name: 'Harbour Café', address: 'Rua do Porto 4, Lisbon', text: '' },
        ],
      },
    ],
  })

export type EmailDocument = z.output<typeof EmailDocument>
export type EmailBlock = z.output<typeof EmailBlock>
export type EmailPart = z.output<typeof EmailPart>
