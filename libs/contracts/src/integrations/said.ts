// The meaning of a typed message for a connected app. No zod here.

const courtesies = /^(?:(?:please|kindly|hey|hi|hello|ok|okay|can you|could you|would you|i want to|i need to|help me(?: to)?)[\s,]+)+/i
const verbs =
  /^(?:put|save|add|write|send|copy|export|store|log|move|push|note|import|sync|list|show|find|search|read|update|get|fetch|connect|link|create|make|look(?: up| for)?|check|pull|use)\s+(?:me\s+|us\s+)?(?:for\s+)?(?:(?:the|a|an|my|our|this|that|new|all)\s+)*/i
const place = /[\s,]*\b(?:(?:in|into|on|to|from|at|with)\s+)?(?:my\s+|our\s+)?notion\b[\s.,:;!?-]*/gi
const things = /^(?:(?:notion\s+)?(?:pages?|notes?|tasks?)\s+)?(?:about|called|named|titled|with|for|on)\s+/i
const empty = /^(?:this|that|it|pages?|notes?|tasks?|something|please)?$/i

/** More is not looked through: the time that the patterns take grows with the square of a text's length. */
const LONGEST_SAID = 4_000

/** The words that a page is looked for, or begun with: "find the launch plan in Notion" is "launch plan". */
export function wordsForNotion(said: string): string {
  const bare = said
    .trim()
    .slice(0, LONGEST_SAID)
    .replace(courtesies, '')
    .replace(place, ' ')
    .trim()
    .replace(verbs, '')
    .replace(things, '')
    .replace(/[\s.,!?"“”]+$/, '')
    .replace(/^["“”\s]+/, '')
  return empty.test(bare) ? '' : bare.slice(0, 200)
}

const writing = /^(?:put|save|add|write|send|copy|export|store|log|move|push|note|create|make)\b/i
export const writesToNotion = (said: string): boolean => writing.test(said.trim().replace(courtesies, ''))
