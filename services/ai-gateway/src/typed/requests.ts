import type { TypedRequest } from '@operon/contracts/contract'
import { type Destination, destinations } from './words.ts'

export type Tool = TypedRequest | 'research'
/** The request in a message, and whether the message also needs an answer from a model. */
export type Requests = { destination: Destination | null; tool: Tool | null; asks: boolean }

/** A longer message is a text: nothing in it is told to the app, and its words are not looked through. */
const LONGEST_ORDER = 4_000

/**
 * The specified words set something off where they are a request. A message is read clause by clause: the person asks for it ("open the CRM",
 * "could you …", "I need …"), and what is asked for is the thing itself. A question, a denial and a word that only looks alike are answered.
 */
export function requestsIn(message: string): Requests {
  if (message.length > LONGEST_ORDER) return { destination: null, tool: null, asks: true }
  let destination: Destination | null = null
  let tool: Tool | null = null
  let asks = false
  for (const sentence of sentencesOf(message)) {
    const question = isQuestion(sentence)
    const told = question || denies.test(sentence) ? [] : clausesOf(sentence)
    const found = told.map((clause) => ({ destination: destinationIn(clause), tool: toolIn(clause) }))
    const asked = question ? askedInWords(sentence) : null
    destination ??= found.find((each) => each.destination)?.destination ?? null
    tool ??= found.find((each) => each.tool)?.tool ?? asked
    const done =
      asked !== null || (found.length > 0 && found.every((each, at) => each.destination || each.tool || courtesy.test(told[at]!)))
    asks ||= !done && !courtesy.test(sentence)
  }
  return { destination, tool, asks }
}

/** The orders in a message, clause by clause and without courtesies; null where it asks, denies or is about anything else as well. */
export function clausesTold(message: string): string[] | null {
  if (message.length > LONGEST_ORDER) return null
  const sentences = sentencesOf(message)
  if (sentences.some((sentence) => isQuestion(sentence) || denies.test(sentence))) return null
  return sentences
    .filter((sentence) => !courtesy.test(sentence))
    .flatMap(clausesOf)
    .filter((clause) => !courtesy.test(clause))
}

const sentencesOf = (message: string) =>
  message
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .split(/(?<=[.!?])\s+|\n+|;\s*/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence))

/** "Could you open …?" is a request, however it ends. */
const polite = /^(?:(?:can|could|will|would) (?:you|we)|would you mind|do you mind|please)\b/
const interrogative =
  /^(?:should|shall|must|may|might|can|could|would|will|do(?! (?:some |a bit of |more )?research)|does|did|is|are|am|was|were|has|have|had|what|what's|whats|how|how's|why|when|where|which|who|whom|whose|if|whether|any)\b/
function isQuestion(sentence: string) {
  const words = withoutLead(sentence)
  if (polite.test(words)) return false
  return interrogative.test(words) || (words.endsWith('?') && !/^(?:open|go to|navigate to|take me to)\b/.test(words))
}
const denies =
  /\b(?:do not|don't|dont|never|cannot|can't|could not|couldn't|did not|didn't|won't|no need to|not) (?:\w+ )?(?:open|go|navigate|create|generate|send|search|research|set ?up|analy[sz]e|need|want|find|suggest)\b/
const courtesy =
  /^(?:(?:please|thanks|thank you|ok|okay|hi|hello|hey|great|good|perfect|yes|now|again|sure|first|then|after that)[\s,!.]*)+$/

const lead =
  /^(?:(?:please|kindly|just|now|then|and|also|so|ok|okay|hey|hi|hello|yes|great|thanks|thank you|first|next|finally|quickly|operon|assistant|after that|when you can|for me)[\s,:!.]+)+/
const withoutLead = (text: string) => text.replace(lead, '')

/** Asked for in words that come before the verb: "I would like to …", "could you please …", "let's …". */
const wish =
  /^(?:(?:can|could|will|would) (?:you|we)(?: please| kindly| just)?|would you mind|do you mind|please|i(?:'d| would) (?:like|love)(?: you)? to|i (?:want|need|have)(?: you)? to|i wanna|i'm trying to|let's|let us|let me|help me(?: to)?|you (?:can|may|should)(?: now)?) /

/** The parts of a sentence that are told, each without what comes before its verb. */
function clausesOf(sentence: string): string[] {
  const parts = sentence
    .replace(/[.!?]+$/, '')
    .split(
      /,\s+(?:and |then )*|\s+(?:and then|and|then)\s+(?=(?:please |also |just )*(?:open|go to|navigate to|take me|create|generate|send|search|research|find|suggest|analy[sz]e|set ?up|put|save|tell|show|write|give|help|explain|how|what|why)\b)/,
    )
  return parts.map((part) => bare(part.trim())).filter(Boolean)
}
function bare(part: string): string {
  let text = part
  for (let before = ''; before !== text; ) {
    before = text
    text = withoutLead(text).replace(wish, '')
  }
  return text.replace(/[\s,]+(?:please|for me|now|thanks|thank you|right away)$/, '')
}

// --- Where to ---------------------------------------------------------------------------------------------------------------------------

const way =
  /^(?:go(?:ing)? (?:back |over |straight )?to|navigat(?:e|ing)(?: me| back)? to|open(?:ing)?(?: up)?|take me (?:back |over )?to)\s+(.+)$/
const stop =
  /\s(?:of|for|with|where|so|because|about|from|since|until|to|that|as|at|on|in|under|inside|within|by|via|using|after|before|again|while)\s.*$/
const within = /\s(?:on|in|under|inside|within|at)\s+(?:the|my|our|your|operon)\s+(.+)$/
/** Names that pages go by. Another word beside one changes the meaning ("open source analytics", "a new brand"). */
const beside = new Set(
  "the my our your that this operon operon's main whole full new ai page pages tab screen section tool tools studio creator manager builder integration interface agent agents list overview area app module view panel lab ads ad contact campaign campaigns settings report tab".split(
    ' ',
  ),
)

function destinationIn(clause: string): Destination | null {
  const object = way.exec(clause)?.[1]
  if (!object || /^(?:an?|any|some|another)\s/.test(object)) return null
  const place = within.exec(object)?.[1]
  if (!namesPage(object.replace(stop, '')) && !(place && namesPage(place.replace(stop, '')))) return null
  const found = destinations.find(([keyword]) => contains(object, keyword))
  return found ? { path: found[1], name: found[2] } : null
}

function namesPage(words: string): boolean {
  const keyword = destinations.find(([each]) => contains(words, each))?.[0]
  if (!keyword) return false
  const others = destinations.reduce((rest, [each]) => rest.replaceAll(new RegExp(`\\b${each}s?\\b`, 'g'), ' '), words)
  return others.split(/[\s,'"“”]+/).every((word) => word === '' || beside.has(word))
}
const contains = (words: string, keyword: string) => new RegExp(`\\b${keyword}s?\\b`).test(words)

// --- What to make, send or look up ------------------------------------------------------------------------------------------------------

const few = "(?:(?!my |our |your |their |this |that |whether |if |for |about |with )[\\w'’-]+ ){0,5}"
const tools: [Tool, RegExp][] = [
  [
    'names',
    new RegExp(
      `^(?:suggest|find|give|generate|create|make|invent|propose|brainstorm|list|pick|choose|think (?:of|up)|come up with|look for|i(?:'m| am) looking for|we(?:'re| are) looking for|i (?:need|want)|we (?:need|want)|i(?:'d| would) like|need|want|looking for|get)(?: me| us)? ${few}(?:business|company) names?\\b`,
    ),
  ],
  [
    'names',
    /^(?:(?:a|an|five|some|new|good|great|catchy|short|more) )*(?:business|company) names?(?: ideas| suggestions)?(?: for\b| please\b|$)/,
  ],
  [
    'meta',
    /^(?:analy[sz]e|analy[sz]ing|check|review)(?: me| us)? (?:(?:my|our|the|all|last \w+'s|this \w+'s) )*(?:meta ads|meta analytics)\b/,
  ],
  ['meta', /^(?:(?:show|give|get|see|read|open|run|tell)(?: me| us)? (?:about )?)?(?:(?:my|our|the) )*meta analytics\b/],
  ['voice', new RegExp(`^(?:create|creating|set ?up|setting up|set-up) ${few}(?:voice agent|voice assistant)s?\\b`)],
  ['voice', /^(?:create|set ?up) (?:my|our|your) (?:\w+ ){0,2}voice agents?\b/],
  [
    'email',
    /^send(?:ing)?(?: out)?(?: \w+){0,2}? ?(?:(?:an|the|this|that|my|our|a|out) )?(?:\w+ ){0,2}e-?mails?\b(?! less| more| address| list)/,
  ],
  [
    'email',
    /^(?:start|create|make|plan|launch|run|write|build|draft|prepare|schedule|send|set ?up|i need|i want|we need|we want|i(?:'d| would) like|need|want)(?: me| us)? (?:(?!how )[\w'-]+ ){0,4}e-?mail campaigns?\b/,
  ],
  ['email', /^(?:(?:an?|new|the) )*e-?mail campaigns?(?: for\b| about\b| to\b|$)/],
  ['image', new RegExp(`^(?:generate|generating|create|creating)(?: me| us)? ${few}images?\\b`)],
  [
    'notion',
    /^(?:put|save|add|write|send|copy|export|store|log|move|push|note|import|sync|list|show|find|search|read|update|get|fetch|connect|link|create|make|look|check|pull)\b.*(?<!\b(?:an?|the|any|no|some|this|that|vague|whole|my|our|your) )\bnotion\b(?! (?:of|that|to)\b)/,
  ],
  ['notion', /^(?:notion\s*[:,-]|in notion\b|use notion\b|notion$|connect (?:my |our )?notion\b|(?:sync|update) (?:my|our) notion\b)/],
  ['research', /^(?:search(?:ing)?|research(?:ing)?|find(?:ing)? (?:\w+ ){0,3}information|do (?:some |a bit of |more )?research)\b/],
]
/** An image that is seen with the mind's eye is none to draw. */
const standing = /\b(?:brand|public|company|corporate|self|better|positive|bad) image\b/

function toolIn(clause: string): Tool | null {
  const found = tools.find(([, words]) => words.test(clause))?.[0] ?? null
  if (found === 'image' && standing.test(clause)) return null
  return found
}

/** Some requests are put as questions: "what would be a good company name for …?", "how are my meta analytics?" */
function askedInWords(sentence: string): Tool | null {
  const words = withoutLead(sentence)
  if (
    /^(?:what(?:'s| is| would be| could be| might be) an? |(?:do you (?:have|know) )?(?:any|a|an|some) ).*\b(?:business|company) names?\b(?: ideas?)? (?:for|to)\b/.test(
      words,
    )
  )
    return 'names'
  if (/^(?:can|could|may) (?:i|we) (?:get|have) .*\b(?:business|company) names?\b/.test(words)) return 'names'
  if (/^(?:how|what) (?:are|is|do|does|did)\b.*\b(?:my|our) meta analytics\b/.test(words)) return 'meta'
  return null
}
