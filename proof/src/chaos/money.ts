import { until, type World } from './world.ts'

type Cents = Map<string, number>

/** Where billing's books and the provider's own log differ. Empty is what is wanted, after everything is quiet. */
export async function disagreements(world: World): Promise<string[]> {
  const found = [...(await unequalSets(world)), ...(await unequalSums(world)), ...chargedTwice(world)]
  const [uneven] = await world.query(
    'billing',
    `select count(*)::int as n from (select entry_id from ledger_postings group by entry_id, currency having sum(amount_cents) <> 0) uneven`,
  )
  if (uneven.n) found.push(`${uneven.n} ledger entries do not balance`)
  return found
}

/** Every charge, refund and dispute is booked, and nothing else is. */
async function unequalSets(world: World): Promise<string[]> {
  const rows = await world.query<{ reference: string }>('billing', `select reference from ledger_entries where kind = any($1::text[])`, [
    ['charge', 'unknown_charge', 'sale', 'top_up', 'refund', 'sale_refund', 'top_up_refund', 'dispute', 'top_up_dispute'],
  ])
  const booked = new Set(rows.map(({ reference }) => reference))
  const really = new Set([
    ...world.truth('charge').map(({ charge }) => `charge:${charge}`),
    ...world.truth('refund').map(({ refund }) => `refund:${refund}`),
    ...world.truth('dispute').map(({ dispute }) => `dispute:${dispute}`),
  ])
  return [
    ...[...really].filter((each) => !booked.has(each)).map((each) => `${each} is not in the ledger`),
    ...[...booked].filter((each) => !really.has(each)).map((each) => `${each} is in the ledger and never happened`),
  ]
}

/** The ledger's balance at the provider beside the sum of the provider's own log, a currency at a time. */
async function unequalSums(world: World): Promise<string[]> {
  const truth: Cents = new Map()
  const add = (currency: string, cents: number) => truth.set(currency, (truth.get(currency) ?? 0) + cents)
  const currencies = new Map<string, string>()
  for (const { charge, currency, amount, fee } of world.truth('charge')) {
    currencies.set(charge, currency)
    add(currency, amount - fee)
  }
  for (const { currency, amount } of world.truth('refund')) add(currency, -amount)
  for (const { currency, amount } of world.truth('transfer')) add(currency, -amount)
  for (const { currency, amount } of world.truth('transfer_reversal')) add(currency, amount)
  for (const { charge, amount, fee = 0 } of world.truth('dispute')) add(currencies.get(charge) ?? 'usd', -amount - fee)
  for (const { charge, amount, won } of world.truth('dispute_closed')) if (won) add(currencies.get(charge) ?? 'usd', amount)
  const rows = await world.query<{ currency: string; cents: string }>(
    'billing',
    `select currency, sum(amount_cents) as cents from ledger_postings where account = 'provider_balance' group by currency`,
  )
  const books: Cents = new Map(rows.map(({ currency, cents }) => [currency, Number(cents)]))
  return [...new Set([...truth.keys(), ...books.keys()])]
    .filter((currency) => (truth.get(currency) ?? 0) !== (books.get(currency) ?? 0))
    .map((currency) => `${currency}: the provider has ${truth.get(currency) ?? 0}, the ledger ${books.get(currency) ?? 0} cents`)
}

/** An invoice is one order: a subscription begun, switched or renewed. */
function chargedTwice(world: World): string[] {
  const orders = Map.groupBy(
    world.truth('charge').filter(({ invoice }) => invoice),
    ({ invoice }) => invoice as string,
  )
  return [...orders]
    .filter(([, charges]) => charges.length > 1)
    .map(([invoice, charges]) => `${invoice} was charged ${charges.length} times`)
}

/** Waits until the books agree; answers how long it took, or in what they still differ. */
export async function agree(world: World, withinMs: number): Promise<{ ms: number | null; left: string[] }> {
  let left: string[] = []
  const ms = await until(
    async () => {
      left = await disagreements(world)
      return left.length === 0
    },
    withinMs,
    200,
  )
  return { ms, left }
}
