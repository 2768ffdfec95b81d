import { z } from 'zod'
import { changing, col, id, oneLine, reading, time } from '../contract.ts'

// Files of a contact: a quote, a contract, a photo. The file itself is kept with the person's other files; here is which contact it is of.

const exampleId = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b31'
const contact_id = id('lead')
/** A file of media's, whose row is not here. */
const file_id = z.uuid()
export const FILES_OF_A_CONTACT = 100

const ContactFile = z.object({ file_id, name: z.string(), added_at: time })
const file = { file_id: exampleId, name: 'Quote.pdf', added_at: '2026-11-24T10:00:00.000Z' }

export const detachContactFile = changing('detach-contact-file', {
  summary: 'Takes a file off a contact',
  description: 'The file itself stays in the Library.',
  body: z.object({ contact_id, file_id }),
  reply: z.object({ file_id }),
  example: { request: { contact_id: exampleId, file_id: exampleId }, reply: { file_id: exampleId } },
  errors: ['not_found'],
  action: {
    title: 'Take a file off a contact',
    when: 'The person says that a file does not belong to a contact',
    effect: 'changes',
    does: () => 'Takes the file off the contact',
  },
})
export const attachContactFile = changing('attach-contact-file', {
  summary: 'Adds a file of the Library to a contact',
  description: `\`file_id\` is what an upload answered, or an id of \`media-files\`. At most ${FILES_OF_A_CONTACT} for each contact; once more renames it.`,
  body: z.object({ contact_id, file_id, name: oneLine(200).min(1) }),
  reply: z.object({ file_id }),
  example: { request: { contact_id: exampleId, file_id: exampleId, name: 'Quote.pdf' }, reply: { file_id: exampleId } },
  errors: ['not_found', 'contact_files_full'],
  action: {
    title: 'Add a file to a contact',
    when: 'The person wants a file of theirs to be found with a contact',
    effect: 'changes',
    does: ({ name }) => `Adds ${name} to the contact`,
    undo: { contract: detachContactFile, seconds: 600 },
  },
})
export const contactFiles = reading('contact-files', {
  summary: 'Lists the files of a contact, the newest first',
  description: `\`media-file-link\` makes an address to download one.`,
  body: z.object({ contact_id }),
  reply: z.object({ files: z.array(ContactFile) }),
  example: { request: { contact_id: exampleId }, reply: { files: [file] } },
  errors: ['not_found'],
  action: {
    title: 'List the files of a contact',
    when: 'The person asks which files a contact has',
    effect: 'reads',
    evidence: { rows: 'files', columns: { name: col.text('File'), added_at: col.time('Added') } },
  },
})
