import { Readable } from 'node:stream'
import { type Ctx, signedIn } from '@operon/kit/context'
import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import { fieldsOf } from '../fields/fields.ts'
import type { CrmDb } from '../schema.ts'

const PAGE = 2_000
const columns = ['Name', 'Email', 'Phone', 'Company', 'Job title', 'Status', 'Source', 'Tags', 'Added'] as const

/** A page at a time, so that memory stays flat however many there are. */
export async function exportContacts(ctx: Ctx<CrmDb>, _input: unknown, reply: FastifyReply) {
  const { id: userId } = signedIn(ctx)
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', 'attachment; filename="contacts.csv"')
    .send(Readable.from(pages(ctx.db, userId)))
}

async function* pages(db: Ctx<CrmDb>['db'], userId: string) {
  const own = await fieldsOf(db, userId)
  yield `\uFEFF${line([...columns, ...own.map(({ name }) => name)])}`
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after; ) {
    const { rows }: { rows: { id: string; cells: (string | null)[] }[] } = await sql<{ id: string; cells: (string | null)[] }>`
      select id, array[name, email, phone, coalesce((select c.name from companies c where c.id = leads.company_id and c.deleted_at is null), company), job_title, status, source, array_to_string(tags, ', '),
        to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')]
        || array(select fields ->> id from unnest(${own.map(({ id }) => id)}::text[]) with ordinality as own(id, place) order by place) as cells
      from leads where user_id = ${userId} and id > ${after}::uuid order by id limit ${PAGE}`.execute(db)
    if (rows.length) yield rows.map(({ cells }) => line(cells)).join('')
    after = rows.length === PAGE ? rows[PAGE - 1]!.id : null
  }
}

const line = (cells: readonly (string | null)[]) => `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`

/** A cell that begins like a formula would be run by a spreadsheet. */
function csvCell(value: string): string {
  const safe = /^[=+@\t\r-]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
