export type InputLimit = { characters: number; isPlans: boolean }
const said = (characters: number) => characters.toLocaleString('en-US')

/** Says how long a message is before it is refused; null where it fits. */
export function tooLong(text: string, { characters, isPlans }: InputLimit): string | null {
  const { length } = text.trim()
  if (length <= characters) return null
  const over = `Shorten it by ${said(length - characters)}`
  return isPlans
    ? `Your message has ${said(length)} characters; your plan takes up to ${said(characters)} at once. ${over}, or upgrade on the plan page.`
    : `Your message has ${said(length)} characters; at most ${said(characters)} can be sent. ${over}.`
}

/** How much room is left, once little is. */
export function roomLeft(text: string, { characters }: InputLimit): string | null {
  const { length } = text.trim()
  return length > characters * 0.9 && length <= characters ? `${said(length)} of ${said(characters)} characters` : null
}
