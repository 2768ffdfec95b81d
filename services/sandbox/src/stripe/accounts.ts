import { isSame } from '../core/faults.ts'
import type { WireRequest } from '../core/wire.ts'
import type { Bank, Obj } from './bank.ts'

/** The names of a customer: its id, the account that our service made it for, its email address. */
const namesOf = ({ id, email, metadata }: Obj): string[] => [id, metadata?.user_id, email].filter(Boolean)

/** The newest customer of an account, named in any of these ways. */
export const customerOf = (bank: Bank, account: string): Obj | undefined =>
  bank.t.customers.newest().find((each) => !each.deleted && namesOf(each).some((name) => isSame(name, account)))

/** Whom a request is about: the customers of all objects that it names, and the person that it is to make a customer of. */
export function accountsIn(bank: Bank, { path, query, body }: WireRequest): string[] {
  const fields = [...new URLSearchParams(body.toString('utf8')), ...query]
  const said = fields.filter(([name]) => ['email', 'client_reference_id', 'metadata[user_id]'].includes(name)).map(([, value]) => value)
  const ids = [path, ...fields.map(([, value]) => value)].flatMap((text) => text.match(/[a-z]+_\w{8,}/g) ?? [])
  const customers = ids.flatMap((id) => {
    const object = bank.lookUp(id)
    const customer = object?.object === 'customer' ? object : bank.t.customers.get(object?.customer)
    return customer ? namesOf(customer) : []
  })
  return [...said, ...customers]
}
