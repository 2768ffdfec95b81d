import { z } from 'zod'
import { changing, col, endpoint, fn, id, oneLine, reading, text, time } from '../contract.ts'
import { exampleId } from './calendar.ts'
import { EmailAddress, Phone } from './contacts.ts'

// Lead forms: what a visitor without an account sends becomes a contact, with the consent in the words that they saw.

const form_id = id('lead_form')
const Asked = z.enum(['off', 'optional', 'required'])
const Question = z.object({ label: oneLine(120).min(1), required: z.boolean() })
const fields = {
  title: oneLine(120).min(1),
  intro: text(1000).trim().default(''),
  phone: Asked.default('off'),
  company: Asked.default('off'),
  questions: z.array(Question).max(10).default([]),
  /** The words that the visitor may tick. Empty: nobody is asked. */
  consent_text: oneLine(400).default(''),
  /** Whether the owner of the address is asked by email before the consent counts. */
  double_opt_in: z.boolean().default(true),
  button: oneLine(40).min(1).default('Send'),
  thanks: text(500).trim().min(1).default('Thank you. We will get back to you.'),
  active: z.boolean().default(true),
}
const FormFields = z.object(fields)
const LeadForm = FormFields.extend({
  id: form_id,
  url: z.string(),
  /** Where a form on another site sends its fields. */
  action_url: z.string(),
  sent: z.int(),
  last_at: time.nullable(),
  version: z.int(),
})
const formExample: z.input<typeof LeadForm> = {
  id: exampleId,
  title: 'Contact us',
  intro: '',
  phone: 'optional',
  company: 'off',
  questions: [{ label: 'What is it about?', required: true }],
  consent_text: 'You may email me news and offers.',
  double_opt_in: true,
  button: 'Send',
  thanks: 'Thank you. We will get back to you.',
  active: true,
  url: `https://operon.example/forms/${exampleId}`,
  action_url: `https://operon.example/functions/v1/forms/${exampleId}`,
  sent: 12,
  last_at: '2026-11-24T10:00:00.000Z',
  version: 1,
}

export const listLeadForms = reading('list-lead-forms', {
  summary: 'Lists the lead forms of the person, newest first',
  description: 'At most fifty.',
  body: z.object({}).prefault({}),
  reply: z.object({ forms: z.array(LeadForm).max(50) }),
  example: { request: {}, reply: { forms: [formExample] } },
  errors: [],
  action: {
    title: 'List lead forms',
    when: 'The person asks for their contact forms, their links or how many people have sent one',
    effect: 'reads',
    evidence: { rows: 'forms', columns: { title: col.text('Title'), url: col.text('Link'), sent: col.count('Sent') } },
  },
})
export const deleteLeadForm = changing('delete-lead-form', {
  summary: 'Deletes a lead form',
  description: 'Its link stops working. The contacts stay, and so does what they sent and agreed to.',
  body: z.object({ form_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { form_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found'],
  action: {
    title: 'Delete a lead form',
    when: 'The person asks to delete a contact form',
    effect: 'destroys',
    does: () => 'Deletes the lead form. Its contacts stay',
  },
})
export const createLeadForm = changing('create-lead-form', {
  summary: 'Makes a form that visitors become contacts by',
  description: 'It has a page of its own, and any site can send to its `action_url`. Name and email address are always included.',
  body: FormFields,
  reply: z.object({ form_id, url: z.string(), action_url: z.string() }),
  example: {
    request: { title: 'Contact us' },
    reply: { form_id: exampleId, url: formExample.url, action_url: formExample.action_url },
  },
  errors: ['forms_full', 'anonymous_no_letters'],
  action: {
    title: 'Make a lead form',
    when: 'The person asks for a contact form, a lead form or a sign-up form for their site',
    effect: 'changes',
    does: ({ title }) => `Makes the lead form “${title}”, which anybody with its link can send`,
    undo: { contract: deleteLeadForm, seconds: 600 },
  },
})
export const updateLeadForm = changing('update-lead-form', {
  summary: 'Changes a lead form',
  description: 'The whole is replaced. `version` is the one that was read. What was sent before keeps the words that were shown then.',
  body: FormFields.extend({ form_id, version: z.int().min(1) }),
  reply: z.object({ form_id, version: z.int() }),
  example: { request: { form_id: exampleId, version: 1, title: 'Contact us' }, reply: { form_id: exampleId, version: 2 } },
  errors: ['not_found', 'conflict'],
  action: {
    title: 'Change a lead form',
    when: 'The person asks to change a contact form or to switch it off',
    effect: 'changes',
    does: ({ title }) => `Changes the lead form “${title}”`,
  },
})

const Answer = z.object({ label: z.string(), answer: z.string() })
const Submission = z.object({
  id: id('submission'),
  contact_id: id('lead').nullable(),
  title: z.string(),
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
  company: z.string().nullable(),
  answers: z.array(Answer),
  /** Their consent, in the words they saw; null where they gave none. */
  consent: z.string().nullable(),
  at: time,
})
export const listSubmissions = reading('list-submissions', {
  summary: 'Lists what visitors sent by lead forms, newest first, with what they agreed to',
  description:
    'Of one form, or of all of them and of programs. `consent` is the sentence that was shown then; null where it was not agreed to.',
  body: z.object({ form_id: form_id.optional(), limit: z.int().min(1).max(100).default(50), cursor: z.uuid().optional() }).prefault({}),
  reply: z.object({ submissions: z.array(Submission), cursor: z.string().nullable() }),
  example: {
    request: { form_id: exampleId },
    reply: {
      submissions: [
        {
          id: exampleId,
          contact_id: exampleId,
          title: 'Contact us',
          name: 'Ines Ortega',
          email: 'ines@harbour-cafe.example',
          phone: null,
          company: null,
          answers: [{ label: 'What is it about?', answer: 'A website' }],
          consent: 'You may email me news and offers.',
          at: '2026-11-24T10:00:00.000Z',
        },
      ],
      cursor: null,
    },
  },
  errors: [],
  action: {
    title: 'List form answers',
    when: 'The person asks who sent a contact form and what they wrote',
    effect: 'reads',
    evidence: { rows: 'submissions', columns: { name: col.text('Name'), email: col.text('Email'), at: col.time('When') } },
  },
})

const lead = {
  name: oneLine(120).min(1),
  email: EmailAddress,
  phone: Phone.optional(),
  company: oneLine(120).min(1).optional(),
}
export const addLead = changing('add-lead', {
  summary: 'Takes a lead in from a program: a site of one’s own, a shop, a form elsewhere',
  description:
    'The contact with this address, made where there is none; what is known of it stays. `consent` is the sentence that the person agreed to there. An API key with the scope `do:add-lead` can do this and nothing else.',
  body: z.object({ ...lead, message: text(2000).trim().min(1).optional(), consent: oneLine(400).min(1).optional() }),
  reply: z.object({ contact_id: id('lead') }),
  example: {
    request: { name: 'Ines Ortega', email: 'ines@harbour-cafe.example', message: 'A website, please' },
    reply: { contact_id: exampleId },
  },
  errors: ['contacts_full'],
  action: {
    title: 'Take a lead in',
    when: 'A program passes on somebody who asked to be contacted',
    effect: 'changes',
    does: ({ name }) => `Adds the lead ${name}`,
  },
})

// The public side.
export const showLeadForm = fn('show-lead-form', {
  access: 'public',
  rate: 'read',
  summary: 'Shows a lead form to a visitor',
  description: 'Only forms that are switched on.',
  body: z.object({ form_id }),
  reply: FormFields.pick({ title: true, intro: true, phone: true, company: true, questions: true, consent_text: true, button: true }),
  example: {
    request: { form_id: exampleId },
    reply: { ...formExample, questions: formExample.questions },
  },
  errors: ['not_found'],
})
export const submitLeadForm = fn('submit-lead-form', {
  access: 'public',
  rate: 'public-send',
  idempotent: true,
  summary: 'Sends a lead form',
  description: 'Needs no account. `answers` are those to its questions, in their order.',
  body: z.object({
    form_id,
    ...lead,
    answers: z.array(text(2000)).max(10).default([]),
    consent: z.boolean().default(false),
  }),
  reply: z.object({ thanks: z.string() }),
  example: {
    request: { form_id: exampleId, name: 'Ines Ortega', email: 'ines@harbour-cafe.example', answers: ['A website'] },
    reply: { thanks: formExample.thanks ?? '' },
  },
  errors: ['not_found', 'form_answers', 'form_many', 'contacts_full'],
})
/** For a plain form on any site: answers a browser with a page, a program with JSON. */
export const postLeadForm = endpoint({
  method: 'POST',
  path: '/functions/v1/forms/:form_id',
  access: 'public',
  rate: 'public-send',
  summary: 'Takes the fields of a form on another site',
  description: 'Named `name`, `email`, `phone`, `company`, `answer-0` and so on, and `consent`.',
  params: z.object({ form_id }),
  body: z.looseObject({}).nullish(),
  reply: z.string(),
  raw: true,
  contentType: 'text/html',
})
