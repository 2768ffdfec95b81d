const LOOK_ALIKES: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
  '+': 't',
  '8': 'b',
  '|': 'l',
  '€': 'e',
}
const LOOK_ALIKE = new RegExp(`[${Object.keys(LOOK_ALIKES).join('')}]`, 'g')

/** Forms of a password in lower case: as it is, without digits at its ends, and its words alone. */
export function coresOf(password: string): string[] {
  const lower = password.normalize('NFKC').toLowerCase()
  const bare = lower.replace(/[^\p{L}\p{N}]+$/u, '').replace(/^[^\p{L}\p{N}]+/u, '')
  return [
    lower,
    bare,
    bare.replace(/\d{1,6}$/, ''),
    bare.replace(/^\d{1,6}/, ''),
    bare.replace(/[^\p{L}]+$/u, '').replace(/^[^\p{L}]+/u, ''),
  ]
}

export const unmasked = (text: string): string => text.replace(LOOK_ALIKE, (char) => LOOK_ALIKES[char]!)
