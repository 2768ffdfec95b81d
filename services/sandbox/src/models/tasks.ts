import type { Question } from './answer.ts'
import { capital, clip, soughtIn } from './words.ts'

/** The kinds of task that the business analyst is given, told from its instruction. */
export type Task = 'analysis' | 'action' | 'creation' | 'automation' | 'general' | 'voice'
const instructions: [Task, RegExp][] = [
  ['analysis', /state what you looked at/],
  ['action', /propose it with the tools/],
  ['creation', /wants something made/],
  ['automation', /describe the trigger/],
  ['general', /answer plainly and briefly/],
  ['voice', /easy to listen to/],
]
export const taskOf = ({ system }: Question) => instructions.find(([, words]) => words.test(system.toLowerCase()))?.[0] ?? null

type Lens = { words: RegExp; follows: string[]; table: string; next: string[] }
const lenses: Lens[] = [
  {
    words: /\b(margins?|profit\w*|costs?|prices?|pricing|expens\w+|cash|budget)\b/,
    follows: [
      'The product that sells best is rarely the one that earns most. Count what is left for each hour of your time, not for each sale.',
      'Two or three things usually eat a third of the margin: free extras, discounts given at the counter, and small orders.',
      'A price that has not moved for two years is a price that has fallen.',
    ],
    table: `| Per sale | Best seller | Quiet earner | Weakest |
| --- | ---: | ---: | ---: |
| Price | $40 | $65 | $28 |
| Material and fees | $22 | $19 | $17 |
| Your time | 20 min | 25 min | 35 min |
| Left for an hour | $54 | **$110** | **$19** |`,
    next: [
      'List your ten most sold things with price, material and minutes. Half an hour, by hand.',
      'Raise the weakest by a tenth or leave out what makes it slow. If nobody notices in a month, do it again.',
      'Put the quiet earner where the best seller stands now.',
    ],
  },
  {
    words: /\b(ads?|campaigns?|marketing|traffic|clicks?|visitors?|website|social|followers|reach)\b/,
    follows: [
      'Most of the money goes to people who would have come anyway. The share of new customers tells more than the number of clicks.',
      'One picture or one sentence carries most of the result; the rest is there because nobody switched it off.',
      'Half of the visitors read on a phone and leave where a form begins.',
    ],
    table: `| Channel | Cost of a first order | Come again |
| --- | ---: | ---: |
| Recommendation | $0-5 | 55 % |
| Search | $18-30 | 35 % |
| Social ads | $25-60 | 20 % |
| Flyers and local paper | $30-90 | 30 % |`,
    next: [
      'Ask the next twenty new customers how they found you, and write it down.',
      'Stop the weakest third of what you pay for, for two weeks. Look whether anything is missing.',
      'Spend what is saved on asking happy customers to recommend you.',
    ],
  },
  {
    words: /./,
    follows: [
      'The strongest results come from a small share of what you do. Protect it before you add anything.',
      'The time to the first answer is the lever with the quickest return: within an hour converts about twice as well as the next day.',
      'People who came once are the cheapest next sale, and the ones who hear least from you.',
    ],
    table: `| Step | Usual loss | First thing to measure |
| --- | ---: | --- |
| First contact | 60 % never write | Visits that reach the form |
| Reply | 35 % wait longer than a day | Minutes to the first answer |
| Offer | 45 % go quiet | Offers without a second message |
| Repeat | 70 % come once | Customers back within 90 days |`,
    next: [
      'Time the next ten enquiries from arrival to your first answer.',
      'Send one second message to everybody whose offer went quiet this month.',
      'Look at the same two numbers again in two weeks, and keep what moved.',
    ],
  },
]
const lensOf = ({ text }: Question) => lenses.find(({ words }) => words.test(text.toLowerCase()))!

export function analysis(question: Question): string {
  const { follows, table, next } = lensOf(question)
  const figures = [...question.all.matchAll(/([A-Za-z][\w ]{2,30}?)\s*[:=]\s*\$?(\d(?:[\d,.]*\d)?)/g)].slice(0, 6)
  const read = figures.map(([, label, value]) => `- ${capital(label!.trim())}: ${value}`).join('\n')
  return `**What I looked at.** Your question, "${asked(question)}", ${
    read ? `and the figures in it:\n\n${read}` : 'and what small firms usually see, since it came without figures of yours.'
  }

${table}

**What follows**

${numbered(follows)}

**What I would do next**

${next.map((each) => `- ${each}`).join('\n')}

${read ? 'One period is a picture, two are a trend: give me the same figures of the month before.' : 'Give me your own figures, as "Orders: 31", and I go by those instead.'}`
}

/** In one sentence. */
export const inShort = (question: Question) => lensOf(question).follows[0]!

/** Something is to be known, whatever else the sentence names: "Can you …" asks for a deed. */
export function isQuestion({ text }: Question): boolean {
  const said = text.trim().replace(/^(?:please|so|and|but|ok(?:ay)?|hi|hello)[,!]?\s+/i, '')
  if (/^(?:can|could|would|will) you\b/i.test(said)) return false
  return /\?["”)]*$/.test(said) || /^(?:what|who|when|where|which|why|how|should|is|are|was|were|do|does|did|has|have)\b/i.test(said)
}

export const onlyAnswered = (question: Question, text: string) =>
  `${text}\n\nI read "${asked(question)}" as a question, so nothing has been done. Say what I should do, and I propose it for your approval.`

/** Something is to be done that no tool does as it was said. */
export function unproposed(question: Question): string {
  const sought = soughtIn(question.text).replace(/^how (?:can|could|do|should) (?:i|we)\b/i, 'how to')
  return `I cannot propose "${asked(question)}" as it stands, and nothing has been done. The nearest, said so that I can propose it:

1. *Search the web for ${sought}.*
2. *Write an email about ${question.topic}.*

Say one of them, or tell me which part of it you want first.`
}

export const made = (question: Question) => `# ${capital(question.topic)}: a first draft

You asked: "${asked(question)}". This is short enough to change in one go.

**In one sentence.** [What it is], for [whom], so that [what becomes easier].

**For whom.** The ten customers you would like to have twice. Write their names down; the draft is for them and nobody else.

**What it has**

1. A beginning that can be understood without you standing beside it.
2. One promise with a date or a number in it.
3. A next step that takes less than a minute.

**What it leaves out.** Everything that is only there because others have it.

**Ready when** one of the ten reads it and asks how to begin, not what it means.

Shall I write it out as a page, a mail or five posts?`

/** Tasks that run by themselves, by their trigger. */
const recipes: { words: RegExp; trigger: string; steps: string[]; wrong: string[]; first: string }[] = [
  {
    words: /\b(appointments?|reminders?|bookings?|no-?shows?)\b/,
    trigger: 'An appointment is in the calendar and not cancelled. Count back from its start, in the *customer’s* time zone.',
    steps: [
      'At once: a confirmation with the date, the address and one link to move it.',
      'The day before, at 17:00: one line and the same link. *"Tomorrow at 10:00. If it does not suit, move it here."*',
      'Two hours before, by text message, to first-time customers alone.',
      'Not there after ten minutes: a kind question, never a bill.',
    ],
    wrong: [
      'Moved twice, reminded three times: cancel what was planned for the old date first.',
      'A reminder at night. Nothing goes out between 20:00 and 8:00.',
      'Whoever answers "thanks" expects nothing; whoever answers a question needs a person.',
    ],
    first: 'the day before, alone: it prevents most of the empty chairs and annoys nobody',
  },
  {
    words: /\b(quotes?|offers?|proposals?|invoices?|unpaid|follow(ing)?[ -]?ups?)\b/,
    trigger: 'A quote was sent and nothing came back for two days. Not a clock: the silence begins it.',
    steps: [
      'Day 2, 10:00: a short mail. *"Did the quote arrive? I kept Thursday 14:00 free for questions."*',
      'Day 6: a second one with a single question that can be answered with yes or no.',
      'Day 12: a kind goodbye. *"I will close this for now; one word and it is open again."* This one gets the most answers.',
      'Any reply stops the rest at once.',
    ],
    wrong: [
      'Somebody paid by bank transfer and still gets a reminder. Check the account before each step.',
      'Two quotes to the same person: merge them, or they get six mails.',
      'A holiday. Send on working days, between 9 and 17 in *their* time zone.',
    ],
    first: 'step 1 alone, and read the first twenty before you switch on step 2',
  },
]

export function automated(question: Question): string {
  const known = recipes.find(({ words }) => words.test(question.text.toLowerCase()))
  const { trigger, steps, wrong, first } = known ?? {
    trigger: `The moment after which "${clip(question.topic, 60)}" is due: a form that arrives, an order that is paid, ninety days without one. Begin when it happens, not on a clock.`,
    steps: [
      'Look first whether it still applies: not answered, not cancelled, not done by hand in the meantime.',
      'Do the one thing that nobody would want to check: a confirmation, an entry in your list, a task with a date.',
      'Prepare what needs judgement as a draft, and put it before a person.',
      'Write down what was done and for whom, so that it happens once.',
    ],
    wrong: [
      'It runs twice for one person. Give each case a number and stop at the second.',
      'It runs for somebody who asked to be left alone. Look at that list in step 1.',
      'It stops and nobody notices. Let it tell you once a week how often it ran.',
    ],
    first: 'steps 1 and 2, and read the first twenty results as if you were the one to get them',
  }
  return `On "${asked(question)}":

**Trigger.** ${trigger}

**Steps**

${numbered(steps)}

**What could go wrong**

${wrong.map((each) => `- ${each}`).join('\n')}

Start with ${first}.`
}

const asked = ({ text }: Question) => clip(text.trim().replace(/\s+/g, ' '), 140)
const numbered = (lines: string[]) => lines.map((line, index) => `${index + 1}. ${line}`).join('\n')
