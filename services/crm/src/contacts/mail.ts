import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/mail'
import { findMailWith, MailAddress, MOST_ADDRESSES } from '@operon/contracts/integrations/mail'
import { type Ctx, signedIn } from '@operon/kit/context'
import type { Runtime } from '@operon/kit/service'
import { actingFor } from '../email/transports.ts'
import type { CrmDb } from '../schema.ts'
import { readContact } from './show.ts'

const ANSWERS_WITHIN_MS = 20_000

/** The emails of the owner's mailboxes with a contact's addresses. They pass through and are kept nowhere. */
export async function findContactMail(
  ctx: Ctx<CrmDb>,
  { contact_id, ...page }: Input<typeof contract.findContactMail>,
  rt: Pick<Runtime<CrmDb>, 'call'>,
): Promise<Output<typeof contract.findContactMail>> {
  const { id: userId } = signedIn(ctx)
  const { email } = await readContact(ctx.db, userId, contact_id)
  const others = await ctx.db
    .selectFrom('contact_emails')
    .select('email')
    .where('user_id', '=', userId)
    .where('contact_id', '=', contact_id)
    .orderBy('id')
    .limit(MOST_ADDRESSES)
    .execute()
  const known = new Set([...(email ? [email] : []), ...others.map((other) => other.email)])
  const addresses = [...known].filter((address) => MailAddress.safeParse(address).success).slice(0, MOST_ADDRESSES)
  if (!addresses.length) return { messages: [], mailboxes: [], cursor: null }
  const asked = { ...actingFor(userId, 'find-mail-with'), requestId: ctx.requestId, deadlineMs: ANSWERS_WITHIN_MS }
  return rt.call(findMailWith, { addresses, ...page }, asked)
}
