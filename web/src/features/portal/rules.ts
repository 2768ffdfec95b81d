export type Rule = { text: string; holds: (password: string) => boolean }

const upper: Rule = { text: 'At least one uppercase letter', holds: (password) => /[A-Z]/.test(password) }
const lower: Rule = { text: 'At least one lowercase letter', holds: (password) => /[a-z]/.test(password) }
const long: Rule = { text: 'At least 8 characters long', holds: (password) => password.length >= 8 }

/** The general portal's four. */
export const generalRules: Rule[] = [
  long,
  upper,
  lower,
  { text: 'At least one special character', holds: (password) => /[^A-Za-z0-9\s]/.test(password) },
]

/** The seller and buyer portals' five. */
export const roleRules: Rule[] = [
  long,
  upper,
  lower,
  { text: 'At least one number', holds: (password) => /[0-9]/.test(password) },
  { text: 'At least one special character', holds: (password) => /[!@#$%^&*(),.?":{}|<>]/.test(password) },
]

export const allHold = (rules: Rule[], password: string) => rules.every((rule) => rule.holds(password))
