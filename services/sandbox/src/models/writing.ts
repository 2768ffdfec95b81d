import type { Question } from './answer.ts'
import { closings, lead, sections, takeaway } from './essays.ts'
import { isFact, smallTalk, unknown } from './smalltalk.ts'
import { talk } from './talks.ts'
import { inFourVoices } from './voices.ts'
import { capital, clip, soughtIn, within } from './words.ts'

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

export function socialPosts(question: Question): string {
  const topic = within(question.topic)
  const longest = (question.topic.match(/\w+/g) ?? ['business']).reduce((long, word) => (word.length > long.length ? word : long))
  const tag = `#${capital(longest)}`
  return [
    `1. ${capital(topic)}. Nobody tells you that the boring part is where it gets good. Which step do you always skip? ${tag}`,
    `2. Before: three tools, two spreadsheets, one headache. After: one calm hour a week. What changed? In one picture: ${topic}. ${tag} #smallbusiness`,
    `3. A customer asked us last week: “${capital(topic)}, is it worth it?” Our honest answer: look first, decide later. We keep the door open. ${tag}`,
    `4. Your turn: what would you like to know about it? ${capital(topic)}: ask below, and we answer the first ten in public today. ${tag}`,
    `5. Five places for a first look: ${topic}. Comment “me” and we send you a time. ${tag} #community`,
  ].join('\n\n')
}

export function videoScript({ topic }: Question): string {
  return `# ${capital(topic)} (60-90 seconds)

**0:00-0:05 · Hook**

- *On screen:* the door opens; the camera walks in at eye level.
- *Voice:* "Have you got a minute? Then come along: ${within(topic)}."

**0:05-0:20 · What nobody sees**

- *On screen:* hands at work, close up, no music yet.
- *Voice:* "Most people never get to see this part, and it is the one that makes the difference."

**0:20-0:45 · In three steps**

- *On screen:* three short shots, a number in the corner of each.
- *Voice:* "First we listen. Then we show you one thing, not ten. And you take home what you came for."

**0:45-1:05 · Proof**

- *On screen:* a customer, filmed where they use it.
- *Voice:* "I thought it would take a month. It took an afternoon." *(in their own words)*

**1:05-1:20 · Call to action**

- *On screen:* logo and address.
- *Voice:* "Come by, or write to us. The address is below, and the first look costs nothing."`
}

export function productDescription(question: Question): string {
  const { topic, text } = question
  const digital = /\b(course|online|template|software|app|e-?book|guide|plan|subscription|service|workshop)\b/i.test(text)
  const [benefits, facts] = digital
    ? [
        [
          'Begin today: nothing to install, nothing to wait for',
          'Short parts, each with something you can use at once',
          'Stays yours, with every later version',
        ],
        [
          'Format | Online, on phone and computer',
          'Time | 6 parts of 20 minutes',
          'Updates | Free for a year',
          'Support | A person answers within a day',
        ],
      ]
    : [
        [
          'Made in small numbers and looked at one by one',
          'Feels right in the hand, and ages well',
          'Easy to care for: a cloth, and oil twice a year',
        ],
        [
          'Size | [40 × 25 × 3 cm]',
          'Weight | [1.9 kg]',
          'Material | [as named above, nothing hidden]',
          'Delivery | 2-4 days, back within 30',
        ],
      ]
  return `# ${capital(topic)}

${digital ? 'For people who would rather begin than plan to.' : 'For people who use a thing every day and want to like it every day.'} ${capital(topic)}: made with care, described without big words.

**Why you will keep it**

${benefits!.map((each) => `- ${each}`).join('\n')}

**Specifications**

| | |
| --- | --- |
${facts!.map((each) => `| ${each} |`).join('\n')}

Not what you hoped for? Send it back and say why; that is how the next one gets better.`
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
  const small = smallTalk(question)
  if (small) return small
  const voiced = inFourVoices(question)
  if (voiced) return voiced
  const known = talk(question)
  if (known) return inVoiceOf(question.provider, known)
  if (isFact(question)) return unknown(question)
  const opening = question.pick(['Good question.', 'Here is how I would look at it.', 'Short answer first.'], 2)
  return inVoiceOf(
    question.provider,
    `${opening} On "${clip(question.text.trim().replace(/\s+/g, ' '), 110)}":

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
export function points(text: string): string {
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

/** The answer of a searching model: short, with its sources. */
export const research = ({
  text,
}: Question) => `**In short:** published guidance on ${soughtIn(text)} agrees on three points and differs on one.

- **Start from what customers compare you with.** Several guides advise listing the two nearest alternatives and naming the difference in one line [1].
- **Three options sell better than one.** Small firms that offer a middle choice report that most customers take it [1][2].
- **Review every quarter.** Costs move faster than habits; a fixed date makes the change a routine rather than a debate [3].

**Where they differ:** some recommend showing the price at once, others only after a first question [2][3]. For local services with a fixed scope, showing it is the more common advice.

Check the date of each source before you rely on a figure.`
