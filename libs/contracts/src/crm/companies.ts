import { z } from 'zod'
import { changing, col, id, oneLine, reading, text, time } from '../contract.ts'
import { exampleId } from './calendar.ts'
import { Phone } from './contacts.ts'
import { MentioningNote } from './mentions.ts'

// Companies: where contacts work. A contact belongs to the company that it names, else to the one of its email address.

const company_id = id('company')
const host = (value: string) =>
  value
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/.*$/, '')
const Domain = z
  .string()
  .overwrite(host)
  .max(120)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'A domain looks like harbour-cafe.example.')
  .meta({ examples: ['harbour-cafe.example'] })
const name = oneLine(120).min(1)
const notes = text(2000).trim()

export const COUNTED = 1000
const Company = z.object({
  id: company_id,
  name: z.string(),
  domain: z.string().nullable(),
  phone: z.string().nullable(),
  notes: z.string(),
  /** At most 1,000 are counted. */
  contacts: z.int(),
  created_at: time,
  version: z.int(),
})
const example: z.output<typeof Company> = {
  id: exampleId,
  name: 'Harbour Café',
  domain: 'harbour-cafe.example',
  phone: null,
  notes: '',
  contacts: 3,
  created_at: '2026-11-20T10:00:00.000Z',
  version: 1,
}

export const companySorts = ['name', 'newest'] as const
export const findCompanies = reading('find-companies', {
  summary: 'Finds companies by name or domain, or lists them',
  description: '`find-contacts` with `company_id` has the contacts of one. `cursor` is null on the last page.',
  body: z
    .object({
      query: text(100).optional(),
      sort: z.enum(companySorts).default('name'),
      limit: z.int().min(1).max(100).default(50),
      cursor: text(400).optional(),
    })
    .prefault({}),
  reply: z.object({ companies: z.array(Company), cursor: z.string().nullable() }),
  example: { request: { query: 'harbour' }, reply: { companies: [example], cursor: null } },
  errors: [],
  action: {
    title: 'Find companies',
    when: 'The person asks which companies they deal with, or for a company',
    effect: 'reads',
    evidence: { rows: 'companies', columns: { name: col.text('Company'), domain: col.text('Domain'), contacts: col.count('Contacts') } },
  },
})
export const showCompany = reading('show-company', {
  summary: 'Shows a company',
  description: '`find-contacts` with `company_id` has its contacts.',
  body: z.object({ company_id }),
  reply: Company.extend({ mentions: z.array(MentioningNote).optional() }),
  example: { request: { company_id: exampleId }, reply: example },
  errors: ['not_found'],
  action: {
    title: 'Show a company',
    when: 'The person asks about one company',
    effect: 'reads',
    evidence: { columns: { name: col.text('Company'), domain: col.text('Domain'), contacts: col.count('Contacts') } },
  },
})
export const restoreCompany = changing('restore-company', {
  summary: 'Brings a deleted company back, with its contacts',
  body: z.object({ company_id }),
  reply: z.object({ company_id }),
  errors: ['not_found', 'company_exists'],
})
export const deleteCompany = changing('delete-company', {
  summary: 'Deletes a company; its contacts stay',
  description: 'For 30 days `restore-company` brings it back.',
  body: z.object({ company_id }),
  reply: z.object({ company_id, name: z.string() }),
  example: { request: { company_id: exampleId }, reply: { company_id: exampleId, name: 'Harbour Café' } },
  errors: ['not_found'],
  action: {
    title: 'Delete a company',
    when: 'The person asks to delete a company',
    effect: 'destroys',
    does: () => 'Deletes the company. Its contacts stay',
  },
})
export const createCompany = changing('create-company', {
  summary: 'Adds a company',
  description: 'Contacts whose email address is of its `domain` belong to it from now on, unless they name another.',
  body: z.object({ name, domain: Domain.optional(), phone: Phone.optional(), notes: notes.optional() }),
  reply: z.object({ company_id }),
  example: { request: { name: 'Harbour Café', domain: 'harbour-cafe.example' }, reply: { company_id: exampleId } },
  errors: ['company_exists', 'companies_full'],
  action: {
    title: 'Add a company',
    when: 'The person asks to add a company',
    effect: 'changes',
    does: ({ name }) => `Adds the company ${name}`,
    undo: { contract: deleteCompany, seconds: 600 },
  },
})
export const updateCompany = changing('update-company', {
  summary: 'Changes the fields of a company that are given; null empties one',
  description: 'With `version` it is refused when the company was changed since.',
  body: z.object({
    company_id,
    version: z.int().min(1).optional(),
    name: name.optional(),
    domain: Domain.nullable().optional(),
    phone: Phone.nullable().optional(),
    notes: notes.optional(),
  }),
  reply: Company,
  example: { request: { company_id: exampleId, phone: '+351 910 000 000' }, reply: example },
  errors: ['not_found', 'conflict', 'company_exists'],
  action: {
    title: 'Change a company',
    when: 'The person asks to rename a company or to change what is known of it',
    effect: 'changes',
    does: ({ company_id, version, ...changed }) => `Changes ${Object.keys(changed).join(', ')} of the company`,
  },
})
