// Control and format characters, which turn the direction of a line or hide in it; emoji and some scripts are joined by the two that stay.
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

/** One line that reads as it was typed, wherever it is shown. */
export const cleanName = (name: string): string => name.normalize('NFC').replace(UNSEEN, ' ').replace(/\s+/gu, ' ').trim()

/** For names in emails to people the account chose: email programs make links of addresses, so none is left whole. */
export const unlinked = (name: string): string => name.replace(/:\/\//g, ' ').replace(/(?<=\S)\.(?=\p{L}{2})/gu, '. ')
