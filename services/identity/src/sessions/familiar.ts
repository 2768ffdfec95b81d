import { networkOf } from '@operon/kit/addresses'
import { runStatement } from '@operon/kit/db'
import type { AuthCtx } from '../deps.ts'

/** Whether the owner `u` has signed in from an address in the last three months; of IPv6 its whole /64 counts, for it hands out new ones each day. */
export const familiarFrom = (ip: string, network: string, more = '') => `exists (
  select from sessions s where s.user_id = u.id ${more} and s.created_at > now() - interval '90 days'
  and (s.ip = ${ip} or case when s.ip like '%:%' and pg_input_is_valid(s.ip, 'inet') then s.ip::inet <<= ${network}::inet else false end))`

const find = (column: 'email' | 'phone' | 'id', more = '', name: string = column) => ({
  name: `identity_familiar_${name}`,
  text: `select from users u where u.${column} = $1 and u.deleted_at is null and ${familiarFrom('$2', '$3', more)}`,
})
const FIND = {
  email: find('email'),
  phone: find('phone'),
  // A password alone makes no address one of the owner's, where there is a second factor.
  id: find('id', "and s.aal = 'aal2'"),
  account: find('id', '', 'account'),
}

/** The same work for an address that has no account. */
export async function isFamiliar(ctx: AuthCtx, column: keyof typeof FIND, value: string): Promise<boolean> {
  return (await runStatement(ctx.db, FIND[column], [value, ctx.ip, networkOf(ctx.ip)])).length > 0
}
