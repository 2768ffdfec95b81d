import { type RawBuilder, sql, type Transaction } from 'kysely'
import { fieldsOf } from '../fields/fields.ts'
import type { CrmDb } from '../schema.ts'

export type Plan = { id: string; userId: string; mapping: Record<string, number>; onMatch: 'fill' | 'overwrite' | 'skip' }

/** Before the id of a field of one's own, in a mapping. */
export const OWN = 'field:'
const FIELDS = ['phone', 'company', 'job_title'] as const

/**
 * Rows a statement decides. It reads the addresses of the account once and joins by hashes, and a contact by its id alone: looked up row by
 * row, an account that has just grown is read through for each of them, since every index of it looks as good as the right one.
 */
const PIECE = 4_000

// The characters that `cleanName` takes out of typed names: control, direction and invisible characters.
const UNSEEN = String.raw`[[:cntrl:]\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\U000E0000-\U000E007F]`

/**
 * Decides for each row what the import does with it: a contact is found by its address, without
 * one by its name and company among those without one. A name alone never matches somebody who has an address.
 */
export async function classify(trx: Transaction<any>, { id, userId, mapping, onMatch }: Plan): Promise<void> {
  const cell = (field: string, max: number): RawBuilder<unknown> => {
    const column = mapping[field]
    if (column === undefined) return sql`null::text`
    // An export guards formulas with an apostrophe: it is no part of the value.
    return sql`nullif(left(trim(regexp_replace(regexp_replace(cells[${column + 1}], '^''(?=[=+@\t-])', ''), ${UNSEEN}, ' ', 'g')), ${max}), '')`
  }
  const keeps = onMatch === 'fill'
  const own = (await fieldsOf(trx, userId)).filter(({ id: field }) => mapping[`${OWN}${field}`] !== undefined)
  const values = own.map((field) => ({
    ...field,
    cell: cell(`${OWN}${field.id}`, 400),
    value: valueIn(field, cell(`${OWN}${field.id}`, 400)),
  }))
  const ownValues = values.length
    ? sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(values.flatMap(({ id: field, value }) => [sql`${field}::text`, value]))}))`
    : sql`'{}'::jsonb`
  const misfit = values.length
    ? sql`coalesce(${sql.join(values.map(({ name, kind, cell: text, value }) => sql`case when ${text} is not null and (${value}) is null then ${`${name} is not ${needs[kind]}`}::text end`))})`
    : sql`null::text`
  const ownNow = keeps ? sql`r.own || coalesce(l.fields, '{}')` : sql`coalesce(l.fields, '{}') || r.own`
  const wins = (field: string) =>
    keeps ? sql`coalesce(l.${sql.ref(field)}, r.${sql.ref(field)})` : sql`coalesce(r.${sql.ref(field)}, l.${sql.ref(field)})`
  const differs = sql.join(
    [
      ...FIELDS.map((field) => sql`${wins(field)} is distinct from l.${sql.ref(field)}`),
      sql`not l.tags @> r.tags`,
      sql`${ownNow} <> l.fields`,
      ...(keeps ? [] : [sql`r.name is not null and r.name <> l.name`]),
    ],
    sql` or `,
  )
  const [name, email, company] = [cell('name', 121), sql`lower(${cell('email', 255)})`, cell('company', 120)]
  const { rows } = await sql<{ last: number; doubles: number[] }>`
    select coalesce(max(n), -1) as last, coalesce(array_agg(n) filter (where place > 1), '{}') as doubles from (
      select n, row_number() over (
        partition by email, case when email is null then lower(name) end, case when email is null then company end order by n) as place
      from (select n, ${email} as email, ${name} as name, ${company} as company from import_rows where import_id = ${id}) read
    ) placed`.execute(trx)
  const { last, doubles: all } = rows[0]!
  await sql`set local enable_nestloop = off`.execute(trx)
  for (let from = 0; from <= last; from += PIECE) {
    const doubles = all.filter((n) => n >= from && n < from + PIECE)
    await sql`
      with read as materialized (
        select n, ${cell('name', 121)} as name, lower(${cell('email', 255)}) as email, ${cell('phone', 31)} as phone,
          ${cell('company', 120)} as company, ${cell('job_title', 120)} as job_title,
          array(select distinct left(trim(tag), 40) from unnest(string_to_array(coalesce(${cell('tags', 800)}, ''), ',')) tag where trim(tag) <> '' limit 20) as tags,
          ${ownValues} as own, ${misfit} as misfit
        from import_rows where import_id = ${id} and n >= ${from} and n < ${from + PIECE}
      ), r as (
        select read.*, case when name is null and email is null then 'It has neither a name nor an email address'
            when email !~ '^[^[:space:]@<>()",;]+@[^[:space:]@<>()",;]+[.][^[:space:]@.]{2,}$' or length(email) > 254 then 'This is not an email address'
            when length(name) > 120 then 'The name is longer than 120 characters'
            when phone !~ '^[+]?[0-9 ()./-]{5,30}$' then 'This is not a phone number'
            when misfit is not null then misfit
            when email is not null and n = any(${doubles}::int[]) then 'An earlier row has the same email address'
            when n = any(${doubles}::int[]) then 'An earlier row has the same name and company'
          end as reason
        from read
      ), found as (
        select r.*, coalesce(e.contact_id, same_name.id) as contact_id from r
        left join contact_emails e on e.user_id = ${userId} and e.email = r.email and r.reason is null
        left join (
          select distinct on (lower(name), coalesce(company, '')) lower(name) as name, coalesce(company, '') as company, id from leads
          where user_id = ${userId} and email is null and lower(name) in (select lower(name) from r where email is null and reason is null)
          order by lower(name), coalesce(company, ''), id
        ) same_name on same_name.name = lower(r.name) and same_name.company = coalesce(r.company, '') and r.email is null and r.reason is null
      ), judged as (
        select r.*, l.id as known, to_jsonb(l) as before, ${ownNow} as to_own, ${sql.join(FIELDS.map((field) => sql`${wins(field)} as ${sql.ref(`to_${field}`)}`))},
          case when r.reason is not null then 'refused' when l.id is null then 'new'
            when ${onMatch === 'skip' ? sql`true` : sql`not (${differs})`} then 'same' else 'changed' end as action
        from found r
        left join lateral (select * from (select * from leads where id = r.contact_id offset 0) one where one.user_id = ${userId}) l on true
      )
      update import_rows set action = judged.action, reason = judged.reason,
        contact_id = case when judged.action = 'new' then uuidv7() else judged.known end,
        before = case when judged.action = 'changed'
          then jsonb_build_object('name', judged.before -> 'name', 'phone', judged.before -> 'phone', 'company', judged.before -> 'company',
            'job_title', judged.before -> 'job_title', 'tags', judged.before -> 'tags', 'fields', judged.before -> 'fields', 'version', judged.before -> 'version') end,
        fields = jsonb_build_object('name', ${keeps ? sql`coalesce(judged.before ->> 'name', judged.name, split_part(judged.email, '@', 1))` : sql`coalesce(judged.name, judged.before ->> 'name', split_part(judged.email, '@', 1))`},
          'email', judged.email, 'phone', judged.to_phone, 'company', judged.to_company, 'job_title', judged.to_job_title, 'tags', judged.tags, 'own', judged.to_own)
      from judged where import_rows.import_id = ${id} and import_rows.n = judged.n
        and import_rows.n >= ${from} and import_rows.n < ${from + PIECE}`.execute(trx as Transaction<CrmDb>)
  }
}

const needs = { text: 'a text', number: 'a number', date: 'a date, as 2026-11-25', choice: 'one of its options', yes_no: 'yes or no' }
/** A cell as its field keeps it; null where it does not fit. */
function valueIn({ kind, options }: { kind: keyof typeof needs; options: string[] }, text: RawBuilder<unknown>): RawBuilder<unknown> {
  switch (kind) {
    case 'text':
      return sql`to_jsonb(${text})`
    case 'number':
      return sql`case when ${text} ~ '^-?[0-9]{1,3}(,[0-9]{3})*([.][0-9]{1,6})?$|^-?[0-9]{1,14}([.][0-9]{1,6})?$' then to_jsonb(replace(${text}, ',', '')::numeric) end`
    case 'date':
      return sql`case when ${text} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and pg_input_is_valid(${text}, 'date') then to_jsonb(${text}) end`
    case 'choice':
      return sql`(select to_jsonb(option) from unnest(${options}::text[]) option where lower(option) = lower(${text}) limit 1)`
    case 'yes_no':
      return sql`case when lower(${text}) in ('yes', 'true', '1', 'y', 'x') then 'true'::jsonb when lower(${text}) in ('no', 'false', '0', 'n') then 'false'::jsonb end`
  }
}
