import type { Question } from './answer.ts'
import { capital, clip } from './words.ts'

const standsFor: Record<string, string> = { openai: 'ChatGPT', anthropic: 'Claude', google: 'Gemini', perplexity: 'Perplexity' }

/** Answers that need no knowledge: greetings, thanks, sums, itself, and the line just before. */
export function smallTalk(question: Question): string | null {
  const asked = question.text.trim().replace(/\s+/g, ' ')
  if (/^(hi|hello|hey|good (morning|afternoon|evening))\b/i.test(asked) && asked.length < 40)
    return 'Hello! I can draft emails and posts, compare ideas, read your numbers or plan your week. What would you like to start with?'
  if (/^(?:(?:ok(?:ay)?|yes|no|sure|fine|good|great|nice|cool)\b[.!\s]*|[^a-z0-9]*)$/i.test(asked))
    return 'All right. Tell me in one sentence what you want to get done today, and I begin with it.'
  if (/\b(thanks|thank you)\b/i.test(asked) && asked.length < 60)
    return 'You are welcome. Shall I turn that into a task or a draft for you?'
  const sum = /^(?:what is|what's|calculate)?\s*(\d+(?:\.\d+)?)\s*([+*x/-])\s*(\d+(?:\.\d+)?)\s*\??$/i.exec(asked)
  if (sum) return `${sum[1]} ${sum[2]} ${sum[3]} = ${arithmetic(Number(sum[1]), sum[2]!, Number(sum[3]))}.`
  if (/\b(who|what) are you\b|\bare you (a |an )?(real|human|bot|robot|ai|chatgpt|gpt|claude|gemini)\b|\bwhich model\b/i.test(asked))
    return `I am the sandbox: a stand-in for ${standsFor[question.provider] ?? 'the model'} that answers while no key is set. My texts are written beforehand and chosen by your words, so that you can try every screen. Once a key is set, the real model answers in the same place.`
  if (/\b(poem|verse|rhymes?|song|haiku)\b/i.test(asked)) return verse(question)
  return summedUp(question.text) ?? reworked(question)
}

const verse = ({ topic }: Question) => `${capital(topic)}: a line or two,
as plain as morning, and as true:
no trumpet and no golden pen,
just this, and then to work again.`

/** A text that came with the question, by its own sentences. */
function summedUp(text: string): string | null {
  const given = /^[^:\n]*\b(?:sum up|summari[sz]e|summary|key points)\b[^\n]*?:\s*([\s\S]{40,})$/i.exec(text)?.[1]
  const sentences = given?.match(/[^\n.!?]{8,}[.!?]*/g)?.map((each) => each.trim()) ?? []
  if (sentences.length === 0) return null
  const first = sentences.slice(0, 5).map((each) => `- ${clip(capital(each.replace(/[.!?]+$/, '')), 140)}`)
  return `In short:\n\n${first.join('\n')}\n\n**The decision it asks for:** what changes because of the first point, and by when?`
}

/** "Make it shorter" is said of the answer before. */
function reworked({ text, before }: Question): string | null {
  if (!before || text.length > 80) return null
  if (/\b(short(er|en)?|brief(er|ly)?|less)\b/i.test(text)) return shortened(before)
  if (/\b(long(er)?|more|detail(s|ed)?|elaborate|expand|go on|continue)\b/i.test(text))
    return `${before}\n\n**One step further.** Take the first point and give it a date, a name and a number: by when, who does it, and how you would see that it worked. The second can wait until the first has.`
  if (/\b(again|differently|another|rephrase|reword)\b/i.test(text)) return `Said another way:\n\n${shortened(before)}`
  return null
}

function shortened(text: string): string {
  const blocks = text.split(/\n{2,}/)
  const listed = blocks.find((block) => /^(\d+\.|-) /m.test(block))
  const lead = firstSentence(blocks.find((block) => !/^([#|>`-]|\d+\.)/.test(block)) ?? blocks[0]!)
  const points = listed?.split('\n').slice(0, 3).map(firstSentence).join('\n')
  const short = points && !points.startsWith(lead) ? `${lead}\n\n${points}` : lead
  return short === text.trim() ? `Shorter than this it would say less: ${short}` : short
}
const firstSentence = (text: string) => /^(?:\d+\. )?[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text

const business =
  /\b(business|shop|stores?|company|customers?|clients?|guests?|patients?|s(a|e)ll\w*|sales|market\w*|prices?|pricing|brand|team|staff|hir(e|ing)|employees?|products?|services?|revenue|invoices?|orders?|budget|website|launch|grow\w*|salon|baker\w*|caf[eé]|restaurant|studio|freelanc\w+|start-?up|leads?|ads?|campaign|content|posts?|e-?mail|tips?|advice|ideas?|plans?|planning|improve|habits?|work\w*|lanes?)\b/

/** A fact about the world: whoever made one up would be believed. */
export function isFact({ text }: Question): boolean {
  const said = text.trim().toLowerCase()
  if (business.test(said)) return false
  return /^(what|who|when|where|which|why|how (old|tall|far|big|high|deep|long|many)|is|are|was|were|did|does|translate|define|tell me (about|the)|name the)\b/.test(
    said,
  )
}

export const unknown = ({
  text,
  provider,
}: Question) => `I would have to make that up. I am the sandbox's stand-in for ${standsFor[provider] ?? 'this model'}: no model with knowledge of the world is connected, so I do not answer "${clip(text.trim().replace(/\s+/g, ' '), 110)}" with something that only sounds right.

What works here without a key is everything around an answer: it streams, can be stopped, copied, edited and asked again, and is counted like a real one. For texts that fit what you ask, try one of these:

- Write an email to customers about our new opening hours
- Plan next week for a two-person bakery
- Compare paper invoices versus software for a workshop

With a key set, the real model answers this question in the same place.`

function arithmetic(a: number, sign: string, b: number) {
  if (sign === '+') return a + b
  if (sign === '-') return a - b
  return sign === '/' ? a / b : a * b
}
