import { z } from 'zod'
import { id, table, time } from '../contract.ts'

export const profiles = table('profiles', {
  columns: z.object({ email: z.string() }),
  access: 'public',
  summary: 'Whether one exact email address is registered and confirmed; asked seldom enough that nobody harvests addresses with it',
})
const homeRole = z.enum(['seller', 'buyer'])
export const userRoles = table('user_roles', {
  columns: z.object({ user_id: id('user'), role: homeRole, created_at: time }),
  access: 'user',
  summary: 'The home role, set once',
  insert: z.object({ user_id: id('user').optional(), role: homeRole }),
})
