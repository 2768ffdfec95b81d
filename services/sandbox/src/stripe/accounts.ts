import { isSame } from '../core/faults.ts'
import type { WireRequest } from '../core/wire.ts'
import type { Bank, Obj } from './bank.ts'

/** The names of a customer or a seller: its id, the account that our service made it for, its email address. */
const namesOf = ({ id, email, metadata }: Obj): string[] => [id, metadata?.user_id, email].filter(Boolean)
const isCalled = (each: Obj, name: string) => !each.deleted && namesOf(each).some((own) => isSame(own, name))

/** The newest customer of an account, named in any of these ways. */
export const customerOf = (bank: Bank, account: string): Obj | undefined =>
  bank.t.customers.newest().find((each) => isCalled(each, account))

/** One person as Stripe knows them: a customer who buys, connected accounts that sell. They share a clock. */
export type Person = { customer: Obj | undefined; sellers: Obj[] }

export function personOf(bank: Bank, named: string): Person | undefined {
  const sellersOf = (name: string) => bank.t.accounts.newest().filter((each) => isCalled(each, name))
  const known = customerOf(bank, named) ?? sellersOf(named)[0]
  if (!known) return undefined
  const name = known.metadata.user_id ?? named
  return { customer: customerOf(bank, name), sellers: sellersOf(name) }
}

/** The clock that somebody is on already, for what is made for the same account later. */
export function clockOfPerson(bank: Bank, user: string | undefined): string | null {
  const person = user ? personOf(bank, user) : undefined
  const clock = person?.customer?.test_clock ?? person?.sellers[0]?._clock
  return clock && bank.t.test_clocks.get(clock)?._ahead_s !== undefined ? clock : null
}

/** Whom a request is about: the customers and sellers of all objects that it names, and the person that it is to make one of. */
export function accountsIn(bank: Bank, { path, query, body, headers }: WireRequest): string[] {
  const fields = [...new URLSearchParams(body.toString('utf8')), ...query]
  const said = fields.filter(([name]) => ['email', 'client_reference_id', 'metadata[user_id]'].includes(name)).map(([, value]) => value)
  const ids = [path, String(headers['stripe-account'] ?? ''), ...fields.map(([, value]) => value)].flatMap(
    (text) => text.match(/[a-z]+_\w{8,}/g) ?? [],
  )
  const customers = ids.flatMap((id) => {
    const object = bank.lookUp(id)
    if (!object) return []
    const own = [object, bank.t.customers.get(object.customer), bank.t.accounts.get(object._account ?? object.destination)]
    return own.flatMap((each) => (each && ['customer', 'account'].includes(each.object) ? namesOf(each) : []))
  })
  return [...said, ...customers]
}
