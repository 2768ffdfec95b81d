import { type Question, soughtIn } from './answer.ts'
import { closings, lead, sections, takeaway } from './essays.ts'
import { talk } from './talks.ts'
import { inFourVoices } from './voices.ts'
import { brand, capital, clip, within } from './words.ts'

export function email(question: Question): string {
  const { topic } = question
  const subject = question.pick(
    [`A quick idea about ${clip(topic, 40)}`, `${capital(clip(topic, 40))}: what is new for you`, `Three minutes on ${clip(topic, 40)}`],
    1,
  )
  return `Subject: ${subject}

Hi {{first_name}},

I wanted to share something short and useful about ${topic}.

Most people put it off because it looks like a project. It is not: one small step this week is enough to see whether it helps you.

- Pick the one part that costs you the most time today
- Try it for five working days
- Keep it only if you can see the difference

If you like, reply with "show me" and I will send you the exact steps we use ourselves.

Best regards,
{{sender_name}}`
}

/** About 1000 to 1500 words: a lead, eight sections in an order that the question decides, and a close. */
export function blog(question: Question): string {
  const start = question.pick(
    sections.map((_, index) => index),
    2,
  )
  const chosen = Array.from({ length: 8 }, (_, index) => sections[(start + index) % sections.length]!)
  const fill = (text: string) => text.replaceAll('{topic}', within(question.topic))
  const body = chosen.map(({ title, text }) => `## ${capital(fill(title))}\n\n${fill(text)}`).join('\n\n')
  return `# ${capital(question.topic)}: a practical guide\n\n${fill(lead)}\n\n${body}\n\n## ${capital(takeaway.title)}\n\n${fill(takeaway.text)}\n\n${fill(question.pick(closings, 3))}`
}

export function socialPosts({ topic }: Question): string {
  const tag = `#${brand(topic).replace(/\W/g, '')}`
  return [
    `1. Nobody tells you this about ${topic}: the boring part is where the results are. What is the step you keep skipping? ${tag}`,
    `2. Before: three tools, two spreadsheets, one headache. After: one calm hour a week for ${topic}. Ask us how. ${tag} #smallbusiness`,
    `3. A customer asked us last week whether ${topic} is worth it. Our honest answer: only if you measure it. Here is how we do. ${tag}`,
    `4. Try this today: write down the one question people ask you most about ${topic}, and answer it in public. That is your best post this month. ${tag}`,
    `5. We are opening five places for a free walk-through of ${topic}. Comment "me" and we will send you a time. ${tag} #community`,
  ].join('\n\n')
}

export function videoScript({ topic }: Question): string {
  return `# ${capital(topic)} (60-90 seconds)

**0:00-0:05 · Hook**

- *On screen:* a cluttered desk, a ringing phone.
- *Voice:* "If ${topic} feels harder than it should, this is for you."

**0:05-0:20 · Problem**

- *On screen:* three browser tabs fighting for attention.
- *Voice:* "Most of us do it late, in a hurry, and never look at whether it worked."

**0:20-0:45 · What changes**

- *On screen:* one clean list, three ticks appearing one by one.
- *Voice:* "Do three things. Choose one goal. Give it one hour a week. Look at one number every Friday."

**0:45-1:05 · Proof**

- *On screen:* a simple line going up over four weeks.
- *Voice:* "After a month you will know what to keep and what to drop."

**1:05-1:20 · Call to action**

- *On screen:* logo and address.
- *Voice:* "Start with the free checklist in the description, and tell us how it went."`
}

export function productDescription({ topic }: Question): string {
  return `# ${capital(topic)}

Made for people who would rather do the work than set it up. ${capital(topic)} gives you a clear starting point, sensible defaults and results that you can see in the first week.

**What you get**

- A ready structure that you can use within minutes
- Clear instructions in plain language, without jargon
- Room to grow: change any part of it without starting again

**Good to know.** Works on its own or beside the tools that you have. Free updates for a year, and a person who answers when you write.

Start today, and keep it only if it earns its place.`
}

export function analysis(question: Question): string {
  const figures = [...question.all.matchAll(/([A-Za-z][\w ]{2,30}?)\s*[:=]\s*\$?(\d[\d,.]*)/g)].slice(0, 6)
  const read = figures.map(([, label, value]) => `- ${capital(label!.trim())}: ${value}`).join('\n')
  const growth = question.pick([6, 9, 12, 15, 18], 1)
  return `**Summary.** ${capital(question.topic)} shows a healthy base with two clear places to improve.

${read ? `**What I read from your data**\n\n${read}\n\n` : ''}**Key insights**

1. The strongest results come from a small share of your activity; protect it before adding anything new.
2. Response time is the lever with the quickest return: answers within an hour convert markedly better.
3. At the present pace a rise of about ${growth} % over the next quarter is realistic.

| Step | Usual loss | First thing to measure |
| --- | ---: | --- |
| First contact | 60 % never write | Visits that reach the form |
| Reply | 35 % wait longer than a day | Minutes to the first answer |
| Offer | 45 % go quiet | Offers without a second message |
| Repeat | 70 % come once | Customers back within 90 days |

**Recommendations**

- Move a tenth of the budget from the weakest channel to the strongest, and review after two weeks.
- Automate the follow-up after the first contact.
- Check one number every Friday and write down what you changed.

**Risks.** One source carries most of the volume. A second one, even a small one, makes the plan safer.`
}

/** The article of the given context that shares most words with the question, as it stands there. */
export function helpAnswer(question: Question): string {
  const asked = new Set(
    (question.text.toLowerCase().match(/[a-z]{4,}/g) ?? []).filter((word) => !/^(what|which|does|have|with|this|that|from)$/.test(word)),
  )
  const articles = question.system.split(/^## /m).slice(1)
  const scored = articles
    .map((article) => ({ article, hits: [...asked].filter((word) => article.toLowerCase().includes(word.replace(/s$/, ''))).length }))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits)
  const best = scored[0]?.article
  if (!best)
    return `I could not find that in the help text. Try asking about one screen by its name, or write to support and mention: "${clip(question.text, 80)}".`
  const [title = '', ...body] = best.split('\n')
  return `${body.join('\n').trim()}\n\nThis is from *${title.trim()}*. If something looks different on your screen, tell me what you see.`
}

export function chat(question: Question): string {
  const asked = question.text.trim().replace(/\s+/g, ' ')
  if (/^(hi|hello|hey|good (morning|afternoon|evening))\b/i.test(asked) && asked.length < 40)
    return 'Hello! I can draft e-mails and posts, compare ideas, read your numbers or plan your week. What would you like to start with?'
  if (/\b(thanks|thank you)\b/i.test(asked) && asked.length < 60)
    return 'You are welcome. Shall I turn that into a task or a draft for you?'
  const sum = /^(?:what is|what's|calculate)?\s*(\d+(?:\.\d+)?)\s*([+*x/-])\s*(\d+(?:\.\d+)?)\s*\??$/i.exec(asked)
  if (sum) return `${sum[1]} ${sum[2]} ${sum[3]} = ${arithmetic(Number(sum[1]), sum[2]!, Number(sum[3]))}.`
  const voiced = inFourVoices(question)
  if (voiced) return voiced
  const known = talk(question)
  if (known) return inVoiceOf(question.provider, known)
  const opening = question.pick(['Good question.', 'Here is how I would look at it.', 'Short answer first.'], 2)
  return inVoiceOf(
    question.provider,
    `${opening} On "${clip(asked, 110)}":

Start with the outcome that you want to see in two weeks, and choose the smallest step that could show it. In practice that usually means three things:

1. **Decide what counts.** One number, written down before you begin. For most small businesses it is answered enquiries, booked hours or repeat orders.
2. **Do it once by hand.** Take five real cases, not the next one in your head. You will see which part is worth automating and which only looks like it.
3. **Review on Friday.** Fifteen minutes: what did we expect, what happened, what stays.

If you tell me what you have tried already, I can make this more exact.`,
  )
}

/** Four models that say the same word for word would compare nothing: one reasons in paragraphs, one gives the points alone. */
function inVoiceOf(provider: string, text: string): string {
  if (provider === 'anthropic') {
    const prose = text.replace(/^(?:\d+\.|-) (?=\*\*)/gm, '\n').replace(/\n{3,}/g, '\n\n')
    return `${prose.trim()}\n\nOne thing I would check first: does this hold for your best customers too, or only for the average one? They are rarely the same.`
  }
  if (provider === 'google') return points(text)
  return text
}

/** Each listed point cut to its first sentence; closing questions and asides are left out. */
function points(text: string): string {
  const listed = /^(\d+\.|-) /
  const blocks = text.split(/\n{2,}/).map((block) =>
    block
      .split('\n')
      .map((line) => (listed.test(line) ? line.replace(/^((?:\d+\.|-) (?:\*\*.+?\*\*\s*)?[^.!?]*[.!?]?).*$/, '$1') : line))
      .join('\n'),
  )
  const kept = blocks.filter((block, index) => index === 0 || listed.test(block) || /^[|>`*]/.test(block))
  const short = kept.join('\n\n')
  return short.length > 120 ? `${short}\n\n**Next:** do the first of these this week, and look again in two.` : text
}

/** What a searching model says: short, and with where it has it from. */
export const research = ({
  text,
}: Question) => `**In short:** published guidance on ${soughtIn(text)} agrees on three points and differs on one.

- **Start from what customers compare you with.** Several guides advise listing the two nearest alternatives and naming the difference in one line [1].
- **Three options sell better than one.** Small firms that offer a middle choice report that most customers take it [1][2].
- **Review every quarter.** Costs move faster than habits; a fixed date makes the change a routine rather than a debate [3].

**Where they differ:** some recommend showing the price at once, others only after a first question [2][3]. For local services with a fixed scope, showing it is the more common advice.

Check the date of each source before you rely on a figure.`

function arithmetic(a: number, sign: string, b: number) {
  if (sign === '+') return a + b
  if (sign === '-') return a - b
  return sign === '/' ? a / b : a * b
}
