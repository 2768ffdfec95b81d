const said = (characters: number) => characters.toLocaleString('en-US')

/** Says how long a message is before it is refused; null where it fits. */
export function tooLong(text: string, limit: number): string | null {
  const { length } = text.trim()
  if (length <= limit) return null
  return `Your message has ${said(length)} characters; at most ${said(limit)} can be sent. Shorten it by ${said(length - limit)}.`
}

/** How much room is left, once little is. */
export function roomLeft(text: string, limit: number): string | null {
  const { length } = text.trim()
  return length > limit * 0.9 && length <= limit ? `${said(length)} of ${said(limit)} characters` : null
}
