import type { Question } from './answer.ts'
import { capital, clip, within } from './words.ts'

type Mail = { subject: string; body: string }

/** The purpose of an email, told from its words; the first that fits is used. `about` stands in the middle of a sentence. */
const purposes: [words: RegExp, mail: (about: string, text: string) => Mail][] = [
  [
    /\b(broken|repair|fault|damaged?|landlord|not work(ing)?|heater|leak)\b/,
    (about) => ({
      subject: `Please have a look: ${clip(about, 44)}`,
      body: `I am writing about ${about}. It needs somebody to look at it, and I would like to settle it without much back and forth.

- **Since when:** [date]
- **What happens:** [one sentence]
- **When I am there:** weekdays after 16:00, or Saturday morning

Could you tell me by Thursday who comes and when? If it takes longer, please say what I can do until then.

Thank you, and kind regards,`,
    }),
  ],
  [
    /\b(overdue|unpaid|invoice|payment reminder|owes?)\b/,
    (about) => ({
      subject: `A reminder: ${clip(about, 48)}`,
      body: `this is a short note about ${about}. It may simply have slipped through: the due date was [date], and [amount] is still open.

The quickest way is the payment link on the invoice. If something is unclear or wrong, answer this mail and I look at it today.

If you have paid in the last two days, please forget this message.

Best regards,`,
    }),
  ],
  [
    /\b(win(ning)? back|have not ordered|haven't ordered|quiet customers?|lapsed|miss you)\b/,
    () => ({
      subject: 'Still on your list, {{first_name}}?',
      body: `it has been a while, so I will be brief. Three things have changed since your last order:

- It arrives in two days, not five
- You can change or skip an order yourself
- The two things people asked for most are back

If you would like to try again, the next delivery is on us: **{{button: Order with free delivery}}**. It holds until the end of the month.

And if we did something wrong, one line in reply is worth more to me than the order.

Best regards,`,
    }),
  ],
  [
    /\b(welcome|onboard\w*|new (client|customer|member)s?)\b/,
    () => ({
      subject: 'Welcome, and what happens next',
      body: `good to have you here. So that you need not wonder, this is how we begin:

1. **Today:** you get this mail and one form. It takes four minutes.
2. **By Thursday:** I call you for a quarter of an hour and we fix the first date.
3. **A week later:** you see the first result and tell me what to change.

Your contact is me, not a desk. Answer here and it reaches me.

**{{button: Fill in the form}}**

Glad that we work together,`,
    }),
  ],
  [
    /\b(sorry|apolog\w+|delay\w*|mistake|complain\w*)\b/,
    (about) => ({
      subject: 'I am sorry, and what I do about it',
      body: `you were right to write about ${about}. It should not have gone that way, and I am sorry.

What I do now: I put it right by [day], and you hear from me when it is done, not before and not instead. You can choose between a new one and your money back; both are fine with me.

If you would rather talk, my number is [number].

Best regards,`,
    }),
  ],
  [
    /\bprices?\b.*\b(rise|rising|raise|increase|change)s?\b|\b(rise|raise|increase)s?\b.*\bprices?\b/,
    (_, text) => ({
      subject: `Our prices from ${dayIn(text)}`,
      body: `from ${dayIn(text)} our prices rise by ${/(\d+) ?%/.exec(text)?.[1] ?? '[10]'} %. I want you to hear it from me, and two weeks ahead.

The reason is plain: ${/\bbecause ([^.\n]{3,90})/i.exec(text)?.[1] ?? '[rent and materials cost more than when we set them]'}, and I will not save on [what people come for]. What you booked before that day stays at the old price.

Nothing else changes: the same people, the same hours, the same care.

Thank you for staying with us,`,
    }),
  ],
  [
    /\b(quote|offer i sent|proposal|estimate)\b/,
    (about) => ({
      subject: `Shall I keep the date? ${clip(capital(about), 40)}`,
      body: `I sent you a quote [5] days ago and have kept [Thursday, 14:00] free for it.

Nothing is urgent on my side. If the price is the question, I can leave out [one part] and do it for [less].

Shall I keep the date for you? A yes or a no is enough.

Best regards,`,
    }),
  ],
  [
    /\b(thanks?|thank you|grateful|appreciat\w+)\b/,
    (about) => ({
      subject: 'Thank you, {{first_name}}',
      body: `thank you. It was a pleasure to work on ${about} with you, and I mean the ordinary parts as well: you answered quickly and said what you liked and what not.

If you have two minutes, a sentence about it on our page helps the next person to decide: **{{button: Write a sentence}}**.

And if something is not right yet, tell me first.

Warm regards,`,
    }),
  ],
  [
    /\b(meeting|appointment|invit\w+|call with|schedule)\b/,
    (about) => ({
      subject: `Three times for ${clip(about, 44)}`,
      body: `I would like to talk with you about ${about}. Half an hour is enough, and I send you one page to read before.

- Tuesday, 10:00
- Wednesday, 15:30
- Friday, 9:00

Tell me which suits you, or name another. Telephone and video are both fine.

Best regards,`,
    }),
  ],
  [
    /\b(sale|offer|discount|launch|open(s|ing)?|new (product|service|menu|season)|newsletter|campaign|off)\b/,
    (about) => ({
      subject: `${capital(clip(about, 42))}: you hear it first`,
      body: `a short one today: **${about}**. You are on our list, so you hear it a day before everybody else.

- **What:** the things people ask for most, at the best price of the year
- **Until:** Sunday evening, or until the shelf is empty
- **Where:** in the shop, or with two clicks below

**{{button: Show me}}**

No code to type; it is taken off at the till.

See you soon,`,
    }),
  ],
]

const plainly = (about: string): Mail => ({
  subject: `${capital(clip(about, 50))}: a short question`,
  body: `I am writing about ${about}. I keep it to what you need to decide:

- **Where we stand:** [one sentence]
- **What I suggest:** [one sentence]
- **What I need from you:** a yes, a no or a better idea

Wednesday would be early enough. If you would rather talk, I am at my desk until five.

Best regards,`,
})

export function email(question: Question): string {
  const said = question.text.toLowerCase()
  const about = within(aboutOf(question))
  const { subject, body } = (purposes.find(([words]) => words.test(said))?.[1] ?? plainly)(about, question.text)
  return `Subject: ${subject}\n\nHi {{first_name}},\n\n${body}\n{{sender_name}}`
}

/** The same email in blocks: its first sentence as the heading, its button as a button. */
export function emailBlocks(question: Question) {
  const body = email(question).replace(/^Subject: .*\n+/, '')
  const label = /\{\{button: ([^}]+)\}\}/.exec(body)?.[1] ?? 'Answer this email'
  const paragraphs = body
    .replace(/^Hi \{\{first_name\}\},/, 'Hi {{ first_name | default: "there" }},')
    .split(/\n{2,}/)
    .filter((paragraph) => !/\{\{button:|\{\{sender_name\}\}/.test(paragraph))
  return [
    { kind: 'heading', text: capital(clip(question.topic, 60)), url: '' },
    { kind: 'text', text: paragraphs.join('\n\n'), url: '' },
    { kind: 'button', text: label, url: 'https://www.example.com' },
  ]
}
export function subjects(question: Question): string[] {
  const first = /^Subject: (.*)$/m.exec(email(question))?.[1] ?? question.topic
  const about = clip(capital(question.topic), 44)
  return [
    first,
    `${about}, in one minute`,
    `For you, {{ first_name | default: "friend" }}: ${clip(within(question.topic), 36)}`,
    `${about}: what is new`,
    `A short note on ${clip(within(question.topic), 40)}`,
  ]
}

const dayIn = (text: string) => /\b(?:on|from|by) (\d{1,2}\.? [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8} \d{1,2})\b/.exec(text)?.[1] ?? '[date]'

/** With its article, which a heading leaves out: "about the broken heater". */
function aboutOf({ text, topic }: Question) {
  const found = /\b(?:about|regarding)\s+((?:an?|the|my|our|your)\s+[^.,;:!?\n]{3,80})/i.exec(text)?.[1]
  return found?.trim() ?? topic
}
