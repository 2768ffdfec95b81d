// The words of an answer do nothing. Where no tool did anything, those that say a deed is done are untrue, whatever the model believes.

const DEEDS =
  'sent|resent|emailed|mailed|texted|messaged|forwarded|called|phoned|contacted|notified|invited|booked|scheduled|rescheduled|cancell?ed|reserved|' +
  'published|posted|shared|launched|deleted|ordered|purchased|bought|paid|refunded|charged|transferred|invoiced|subscribed|unsubscribed|submitted|' +
  'registered|uploaded|imported|enabled|disabled|activated|deactivated|connected|disconnected'
const CHANGES = 'added|updated|changed|removed|created|saved|set up|moved|recorded|logged'
const PLACES =
  'calendar|crm|account|contacts?|contact list|customer list|mailing list|newsletter list|subscription|plan|store|shop|website|inbox|integrations?|workflows?|settings'
const LEAD = "(?:['’]ve|['’]m| have| am)?(?: just| now| already| also| successfully| gone ahead and)*"

const said = [
  new RegExp(String.raw`\b(?:I|we)${LEAD} (?:${DEEDS})\b`, 'i'),
  new RegExp(String.raw`\b(?:I|we)${LEAD} (?:${CHANGES})\b[^.!?]* (?:to|in|from|on|of) (?:your|the) (?:${PLACES})\b`, 'i'),
  new RegExp(
    String.raw`^(?:[^.!?]*[—–,:] )?(?:your|the|all|both|it|they|everything)\b[^.!?]*\b(?:has|have) (?:now |just |already |all )?been (?:successfully )?(?:${DEEDS})\b`,
    'i',
  ),
  new RegExp(
    String.raw`^(?:[^.!?]*[—–,:] )?(?:your|the|all|both|it|they|everything)\b[^.!?]*\b(?:is|are) (?:now |already )(?:${DEEDS}|live)\b`,
    'i',
  ),
  new RegExp(String.raw`^(?:(?:all )?done[.!,:;—–]|successfully )[^.!?]*\b(?:${DEEDS})\b`, 'i'),
  new RegExp(String.raw`^(?:(?:email|message|invitation|invoice|post|meeting|appointment)s? )(?:${DEEDS})\b`, 'i'),
]
const supposed = /\b(?:if|once|when|whenever|after|before|until|unless|whether|as soon as|assuming|imagine|not|never|could|would|should)\b/i

/**
 * Whether an answer says that something was done. Only its first two sentences and its last speak for the assistant: a letter, a quotation or a
 * story between them speaks for somebody else.
 */
export function claimsDeed(answer: string, asked: string): boolean {
  if (asksForText.test(asked)) return false
  const own = answer
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/^>.*$/gm, ' ')
    .replace(/“[^”]*”|"[^"\n]*"/g, ' ')
    .replace(/[*_#`]/g, '')
    .split(/^(?:subject|to|dear|hi|hello|hey)\b[^\n]*[,:]?$/im)[0]!
  const sentences = own
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence))
  // “Done! Your email has been sent.” is one claim in two sentences.
  const spoken = [...new Set([...sentences.slice(0, 2), ...sentences.slice(-1)])]
  return spoken.some((sentence) => !sentence.endsWith('?') && said.some((pattern) => claims(pattern, sentence)))
}

/** A condition before the deed supposes it. */
function claims(pattern: RegExp, sentence: string): boolean {
  const found = pattern.exec(sentence)
  return found !== null && !supposed.test(sentence.slice(0, found.index + found[0].length))
}

const asksForText =
  /^\W*(?:(?:please|can you|could you|would you|now|and)\b\W*)*(?:write|draft|compose|rewrite|rephrase|translate|proofread|correct|shorten|summari[sz]e|tell me a story|make up)\b(?!.*\band (?:then )?(?:send|publish|post|book|schedule|e?mail|order|delete|share)\b)/is
