import type { keptOut } from '@operon/contracts/identity/events'
import type { z } from 'zod'

type Page = z.output<(typeof keptOut)['reply']>
export type AskKeptOut = (after: string | null) => Promise<Page>

/** The people who are kept out now, a page at a time: bans from before a service heard of them were told by no event. */
export async function* keptOutPages(ask: AskKeptOut): AsyncGenerator<Page['accounts']> {
  for (let after: string | null = null; ; ) {
    const { accounts, more }: Page = await ask(after)
    yield accounts
    after = accounts.at(-1)?.user_id ?? null
    if (!more || !after) return
  }
}
