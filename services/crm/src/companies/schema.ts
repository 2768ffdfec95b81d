import type { Generated } from 'kysely'

export type CompaniesDb = {
  companies: {
    id: string
    user_id: string
    name: string
    /** Contacts with an address there belong to it. */
    domain: string | null
    phone: string | null
    notes: Generated<string>
    /** The import that made it, which takes it along when it is undone. */
    import_id: string | null
    version: Generated<number>
    created_at: Generated<Date>
    /** It can be brought back for 30 days. */
    deleted_at: Date | null
  }
}
