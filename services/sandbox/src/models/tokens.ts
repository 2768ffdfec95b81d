/** Pieces about as long as a tokenizer's, that join to the text again. */
export const tokensOf = (text: string): string[] => text.match(/\s*[A-Za-z]{1,7}|\s*\d{1,3}|\s*[^\sA-Za-z\d]|\s+/g) ?? []

export function promptTokens(body: { messages?: unknown; tools?: unknown }): number {
  const messages = Array.isArray(body.messages) ? body.messages : []
  const text = messages.reduce((sum: number, message) => sum + 4 + Math.ceil(contentText(message?.content).length / 4), 3)
  return text + (body.tools ? Math.ceil(JSON.stringify(body.tools).length / 5) : 0)
}

/** The text of a message, whether it is a string or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part?.type === 'text' ? String(part.text) : part?.type === 'image_url' ? '[image]' : '')).join('\n')
}
