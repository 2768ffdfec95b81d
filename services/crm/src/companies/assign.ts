import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Domains where anybody has an address: they say nothing of where somebody works. */
const ANYBODYS =
  '^((gmail|googlemail|icloud|me|mac|aol|msn|proton|protonmail|mail|email|ymail|rocketmail|zoho|fastmail|hey|qq|163|126|naver|comcast|verizon|att|btinternet|sky|inbox)[.](com|me|net)|(yahoo|hotmail|outlook|live|gmx|yandex)[.][a-z.]{2,6}|web[.]de|t-online[.]de|mail[.]ru|orange[.]fr|free[.]fr|wanadoo[.]fr|laposte[.]net|libero[.]it|proton[.]me|pm[.]me|tuta[.]com)$'

type Text = RawBuilder<unknown>
const domainOf = (email: Text) =>
  sql`(select domain from (select nullif(lower(split_part(${email}, '@', 2)), '') as domain) read where domain !~ ${ANYBODYS} and length(domain) <= 120)`

/**
 * Makes the companies that contacts name, and those of the domains of contacts that name none. `rows` has `user_id`, `company` and `email`.
 * Two that make the same one at once wait for each other and share it.
 */
export async function makeCompanies(db: Kysely<any>, rows: Text, importId: string | null = null): Promise<void> {
  const read = sql`select user_id, nullif(trim(company), '') as name, ${domainOf(sql`email`)} as domain from (${rows}) given`
  const unknown = (by: Text) => sql`not exists (select from companies c where c.user_id = r.user_id and c.deleted_at is null and ${by})`
  const add = (columns: Text) => sql`
    insert into companies (id, user_id, name, domain, import_id) select uuidv7(), user_id, name, domain, ${importId} from (${columns}) fresh
    order by user_id, lower(name) on conflict do nothing`
  // A name takes the domain of its first contact, where no company has it; a second statement sees which names are still missing.
  await add(sql`
    select distinct on (user_id, domain) user_id, name, domain from (
      select distinct on (user_id, lower(name)) user_id, left(name, 120) as name, domain from (${read}) r
      where name is not null and domain is not null and ${unknown(sql`lower(c.name) = lower(r.name)`)} and ${unknown(sql`c.domain = r.domain`)}) named`).execute(
    db,
  )
  await add(sql`
    select distinct on (user_id, lower(name)) user_id, left(name, 120) as name, null::text as domain from (${read}) r
    where name is not null and ${unknown(sql`lower(c.name) = lower(r.name)`)}`).execute(db)
  await add(sql`
    select distinct user_id, domain as name, domain from (${read}) r
    where name is null and domain is not null and ${unknown(sql`c.domain = r.domain`)} and ${unknown(sql`lower(c.name) = r.domain`)}`).execute(
    db,
  )
}

/** The company that a contact belongs to: the one it names, else the one of its address. */
export const companyOf = (userId: Text, company: Text, email: Text) => sql<string | null>`
  case when nullif(trim(${company}), '') is not null
    then (select c.id from companies c where c.user_id = ${userId} and c.deleted_at is null and lower(c.name) = lower(left(trim(${company}), 120)))
    else (select c.id from companies c where c.user_id = ${userId} and c.deleted_at is null and c.domain = ${domainOf(email)}) end`

/** The same for many rows at once, as joins: it is `coalesce(of_name.id, of_domain.id)`. */
export const joinCompanies = (userId: string, company: Text, email: Text) => sql`
  left join companies of_name on of_name.user_id = ${userId}::uuid and of_name.deleted_at is null and lower(of_name.name) = lower(left(trim(${company}), 120))
  left join companies of_domain on of_domain.user_id = ${userId}::uuid and of_domain.deleted_at is null
    and of_domain.domain = case when nullif(trim(${company}), '') is null then ${domainOf(email)} end`

/** Says anew where one contact belongs, after its company or its address was changed. */
export async function assignCompany(db: Kysely<any>, userId: string, contactId: string): Promise<void> {
  await makeCompanies(db, sql`select user_id, company, email from leads where id = ${contactId} and user_id = ${userId}`)
  await sql`
    update leads set company_id = ${companyOf(sql`leads.user_id`, sql`leads.company`, sql`leads.email`)}
    where id = ${contactId} and user_id = ${userId}`.execute(db)
}

const PAGE = 1_000
/** Assigns those that have no company yet, and returns where the page ended. */
export async function assignPage(db: Kysely<any>, after: string): Promise<string | null> {
  const { rows } = await sql<{ last: string | null }>`
    select max(id::text) as last from (select id from leads where id > ${after}::uuid order by id limit ${PAGE}) page`.execute(db)
  const last = rows[0]?.last
  if (!last) return null
  const page = sql`leads.id > ${after}::uuid and leads.id <= ${last}::uuid and leads.company_id is null`
  await makeCompanies(db, sql`select user_id, company, email from leads where ${page}`)
  await sql`
    update leads set company_id = ${companyOf(sql`leads.user_id`, sql`leads.company`, sql`leads.email`)}
    where ${page} and (company is not null or email is not null)`.execute(db)
  return last
}
