import type { EmailBlock, EmailDocument, EmailPart } from './document.ts'

// The templates that come with the product. No zod here: the web app shows them.

type Without<T> = T extends unknown ? Omit<T, 'id'> : never
type Given = Without<Exclude<EmailBlock, { kind: 'columns' }>> | { kind: 'columns'; columns: Without<EmailPart>[][] }
export type Starter = { id: string; name: string; text: string; subject: string; document: EmailDocument }

const left = { align: 'left' } as const
const h = (text: string, level: 1 | 2 | 3 = 1): Without<EmailPart> => ({ kind: 'heading', text, level, ...left })
const p = (text: string): Without<EmailPart> => ({ kind: 'text', text, ...left })
const button = (label: string): Without<EmailPart> => ({ kind: 'button', label, url: '', ...left })
const rule: Without<EmailPart> = { kind: 'divider' }
const hello = 'Hi {{ first_name | default: "there" }},'

function design(preview: string, theme: Partial<EmailDocument['theme']>, blocks: Given[]): EmailDocument {
  let count = 0
  const named = <B extends object>(block: B) => ({ ...block, id: `b${++count}` })
  const made = [...blocks, { kind: 'footer', name: '', address: '', text: '' } as const].map((block) =>
    block.kind === 'columns' ? named({ ...block, columns: block.columns.map((parts) => parts.map(named)) }) : named(block),
  )
  return { version: 1, preview, theme: { accent: '#456a00', font: 'sans', frame: 'panel', ...theme }, blocks: made as EmailBlock[] }
}

export const starters: readonly Starter[] = [
  {
    id: 'newsletter',
    name: 'Newsletter',
    text: 'Three short stories and one thing to do.',
    subject: 'What is new this month',
    document: design('Three short stories from us', {}, [
      h('What is new this month'),
      p(`${hello}\n\nHere is what we worked on, and what comes next.`),
      h('The first story', 2),
      p('Two or three sentences on the most useful thing you have to tell. Link to the rest.'),
      {
        kind: 'columns',
        columns: [
          [h('The second story', 3), p('One paragraph is enough.')],
          [h('The third story', 3), p('One paragraph is enough.')],
        ],
      },
      button('Read more'),
    ]),
  },
  {
    id: 'welcome',
    name: 'Welcome',
    text: 'The first email after somebody subscribed.',
    subject: 'Welcome, {{ first_name | default: "and thank you" }}',
    document: design('Good to have you here', {}, [
      h('Good to have you here'),
      p(`${hello}\n\nthank you for subscribing. You will hear from us about once a month, and only when there is something worth reading.`),
      p(
        'Until then, these help most people get started:\n\n- What we do, in two minutes\n- The questions we are asked most\n- How to reach us',
      ),
      button('Get started'),
      p('Just answer this email if you have a question. A person reads it.'),
    ]),
  },
  {
    id: 'announcement',
    name: 'Announcement',
    text: 'One thing that is new, and why it matters.',
    subject: 'New: ',
    document: design('It is here', { accent: '#175cd3' }, [
      h('It is here'),
      p(`${hello}\n\nsay in one sentence what is new. Then say what it changes for the reader.`),
      p('**Before:** what was tedious.\n\n**Now:** how it goes.'),
      button('See it'),
    ]),
  },
  {
    id: 'offer',
    name: 'Offer',
    text: 'A price that ends on a day, with up to two products.',
    subject: '20% off until Sunday',
    document: design('A small thank you, until Sunday', { accent: '#b42318' }, [
      h('20% off until Sunday'),
      p(`${hello}\n\nas a thank you, everything is 20% off until Sunday at midnight. No code needed.`),
      {
        kind: 'columns',
        columns: [
          [{ kind: 'product', title: 'The first product', text: 'One sentence on it.', price: '$40', image: '', url: '', label: 'View' }],
          [{ kind: 'product', title: 'The second product', text: 'One sentence on it.', price: '$24', image: '', url: '', label: 'View' }],
        ],
      },
      button('See all offers'),
    ]),
  },
  {
    id: 'invitation',
    name: 'Invitation',
    text: 'An event with its time, place and one button.',
    subject: 'You are invited',
    document: design('Save the date', { font: 'serif' }, [
      h('You are invited'),
      p(`${hello}\n\nsay in one sentence what it is and whom it is for.`),
      p('**When:** the day and the hour\n**Where:** the place, or online\n**Cost:** free'),
      button('Save my seat'),
      rule,
      p('Cannot make it? Answer this email and we send you the recording.'),
    ]),
  },
  {
    id: 'review',
    name: 'Ask for a review',
    text: 'A short, plain question after a purchase.',
    subject: 'How was it, {{ first_name | default: "honestly" }}?',
    document: design('One question, one minute', { frame: 'plain' }, [
      p(`${hello}\n\nthank you for buying from us. Would you tell others how it was? Two sentences help a lot.`),
      button('Write a review'),
      p('If something went wrong, answer this email first. We put it right.'),
    ]),
  },
  {
    id: 'winback',
    name: 'Long time no see',
    text: 'For people who have not opened anything for a while.',
    subject: 'Shall we keep writing?',
    document: design('Stay or go, both are fine', { frame: 'plain' }, [
      p(`${hello}\n\nyou have not opened our emails for a while, and we do not want to be noise in your inbox.`),
      p('If you would like to keep hearing from us, press the button. If not, the link at the end takes you off the list at once.'),
      button('Keep me on the list'),
    ]),
  },
]
