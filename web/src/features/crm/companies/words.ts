/** The service counts up to a thousand. */
const COUNTED = 1000
export const contactsIn = (count: number) => (count === 1 ? '1 contact' : `${count >= COUNTED ? '1,000+' : count} contacts`)
