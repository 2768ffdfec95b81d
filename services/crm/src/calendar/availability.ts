import type { Input, Output } from '@operon/contracts/contract'
import { type saveAvailability as saveContract, type showAvailability as showContract, usualHours } from '@operon/contracts/crm/calendar'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'

export async function showAvailability(ctx: Ctx<CrmDb>): Promise<Output<typeof showContract>> {
  const kept = await ctx.db
    .selectFrom('schedules')
    .select(['zone', 'hours', 'exceptions', 'version'])
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirst()
  return kept ?? { zone: 'UTC', hours: usualHours, exceptions: [], version: 0 }
}

export async function saveAvailability(ctx: Ctx<CrmDb>, input: Input<typeof saveContract>): Promise<Output<typeof saveContract>> {
  const { zone, version } = input
  const [hours, exceptions] = [JSON.stringify(input.hours), JSON.stringify(input.exceptions)]
  const saved = await ctx.db
    .insertInto('schedules')
    .values({ user_id: signedIn(ctx).id, zone, hours, exceptions })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ zone, hours, exceptions, version: sql`schedules.version + 1` })
        .where('schedules.version', '=', version),
    )
    .returning(['zone', 'hours', 'exceptions', 'version'])
    .executeTakeFirst()
  if (!saved) throw new DomainError('conflict')
  return saved
}
