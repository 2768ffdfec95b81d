export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
/** As it stands in the middle of a sentence: a title's first word is small there, a name's is not. */
export const within = (topic: string) =>
  topic.replace(
    /^(How|What|Why|When|Where|Which|Two|Three|Four|Five|Six|Ten|A|An|The|Our|Your|My|Behind|Free|New|Same-day|Handmade|Online|[A-Z][a-z]+ing)\b(?! [A-Z])/,
    (word) => word.toLowerCase(),
  )
export const clip = (text: string, length: number) =>
  text.length <= length
    ? text
    : text
        .slice(0, length + 1)
        .replace(/\s+\S*$/, '')
        .slice(0, length)
        .replace(/(?:\s+(?:an?|the|and|or|of|in|on|at|to|for|with|by|our|my|your))+$/i, '')
export const brand = (topic: string) => capital(topic.split(/\s+/).filter((word) => word.length > 3)[0] ?? 'Your business')

export const searching =
  /^\s*(?:please\s+)?(?:search|research|look up|google|find(?: out)?)(?:\s+(?:information|the (?:web|internet)|online))*\s*(?:for|about|on|how to find)?\s+/i
const ordering =
  /^\s*(?:please\s+)?(?:list|name|write|draft|create|suggest|explain|describe|compare|summari[sz]e|give me|show me|tell me|answer)\s+(?:me\s+)?(?:(?:the|a|an|\d+|two|three|four|five|six|ten)\s+)*/i

/** The search terms, without the words that ask for them. */
export const soughtIn = (text: string) =>
  (text.split(/[?!\n]|\.(?:\s|$)/)[0] ?? '').replace(searching, '').replace(ordering, '').trim() || 'this question'
