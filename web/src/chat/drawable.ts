type State = 'streaming' | 'writing' | 'complete' | (string & {})

/**
 * As an answer can be drawn before its end, or without one: a block of code that is not closed is a block all the same, and what was begun
 * in bold is bold. While it is written a table's row waits until it is whole, its head until what makes it one has come.
 */
export function drawable(content: string, state: State): string {
  if (state === 'complete') return content
  if ((content.match(/^```/gm)?.length ?? 0) % 2) return `${content}\n\`\`\``
  const isWritten = state === 'streaming' || state === 'writing'
  return withBoldClosed(isWritten ? content.replace(/(^|\n)\|[^\n]*(\n(\|[\s:|-]*)?)?$/, '') : content)
}

function withBoldClosed(text: string): string {
  const line = text.slice(text.lastIndexOf('\n') + 1)
  if (line.split('**').length % 2) return text
  return line.endsWith('**') ? text.slice(0, -2) : `${text}**`
}
