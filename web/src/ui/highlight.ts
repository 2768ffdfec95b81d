export type Token = { text: string; kind?: 'comment' | 'string' | 'number' | 'word' }

const keywords = new Set(
  'abstract and as async await begin bool break case catch class const continue create def default delete desc do done echo elif else end enum except export extends false fi final finally fn for from func function group having if impl import in insert interface into is join lambda let limit match mod mut new nil none not null on or order pass private protected pub public raise return select self set static struct super switch table then this throw true try type undefined union update use using values var void where while with yield'.split(
    ' ',
  ),
)
const hashComments = new Set(['py', 'python', 'sh', 'bash', 'zsh', 'yaml', 'yml', 'toml', 'rb', 'ruby', 'r', 'dockerfile', 'env', 'ini'])
const dashComments = new Set(['sql', 'lua', 'haskell'])
const plain = new Set(['text', 'txt', 'md', 'markdown', 'csv', 'log'])

/** Enough to tell words from strings and remarks in any language: a reader's aid, no parser. */
export function highlight(code: string, language = 'text'): Token[] {
  if (plain.has(language)) return [{ text: code }]
  const remark = hashComments.has(language) ? '#.*' : dashComments.has(language) ? '--.*' : '\\/\\/.*'
  const insensitive = language === 'sql'
  const pattern = new RegExp(
    `(\\/\\*[\\s\\S]*?(?:\\*\\/|$)|<!--[\\s\\S]*?(?:-->|$)|(?<![:\\w])${remark})|("(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?|\`(?:\\\\.|[^\`\\\\])*\`?)|(\\b\\d[\\d._]*\\b)|([A-Za-z_$][\\w$]*)`,
    'g',
  )
  const tokens: Token[] = []
  let at = 0
  for (const { index, 0: text, 1: comment, 2: string, 3: number, 4: word } of code.matchAll(pattern)) {
    const kind = comment
      ? 'comment'
      : string
        ? 'string'
        : number
          ? 'number'
          : keywords.has(insensitive ? word!.toLowerCase() : word!)
            ? 'word'
            : undefined
    if (!kind) continue
    if (index > at) tokens.push({ text: code.slice(at, index) })
    tokens.push({ text, kind })
    at = index + text.length
  }
  if (at < code.length) tokens.push({ text: code.slice(at) })
  return tokens
}
