import type { Output } from '@operon/contracts/contract'
import type { notionFields, notionKinds, startNotionSync } from '@operon/contracts/crm/notion-sync'
import type { ColumnType, Generated, Selectable } from 'kysely'

export type Field = (typeof notionFields)[number]
export type Fields = Partial<Record<Field, string | null>>
/** Undefined: a value that cannot be taken over. */
export type Usable = Partial<Record<Field, string | null | undefined>>
export const byField = (fields: Fields) => Object.entries(fields) as [Field, string | null][]
/** A contact or a task, as far as it is held level. */
export type Own = { id: string; version: number } & Fields
type Json<T> = ColumnType<T, string, string>

export type NotionDb = {
  /** The Notion databases that an account's contacts and its tasks are held level with, one each. */
  notion_syncs: {
    id: string
    user_id: string
    kind: ColumnType<(typeof notionKinds)[number]>
    connection_id: string
    database_id: string
    title: string
    columns: Json<Output<typeof startNotionSync>['columns']>
    adds: boolean
    /** Options of the status that says whether a task is done, the ones that are written first; null: it is a checkbox. */
    statuses: ColumnType<Statuses | null, string | null, string | null>
    /** The row that is being added, until the answer is here: without it, a lost answer would leave a row that nobody knows. */
    adding: ColumnType<{ record_id: string; here: Fields; there: Fields } | null, string | null, string | null>
    /** Edits from then on are asked for; null: all rows are listed. */
    since: Date | null
    /** The latest edit that this reading has come across. */
    seen_until: Date | null
    /** Where this reading goes on. */
    cursor: string | null
    /** Counts full readings. A row that a finished one did not come across is gone over there. */
    mark: Generated<number>
    listing: Generated<boolean>
    listed_at: Date | null
    skipped: Generated<number>
    /** Of the reading that goes on. */
    skipping: Generated<number>
    lease: string | null
    leased_until: Date | null
    due_at: Generated<Date>
    synced_at: Date | null
    failure: string | null
    created_at: Generated<Date>
  }
  /** A record and its row, with what each side said when they were last level. */
  notion_links: {
    id: string
    user_id: string
    sync_id: string
    record_id: string
    page_id: string
    /** Of the record, when it was last looked at for what is to be written over there. */
    version: number
    here: Json<Fields>
    there: Json<Fields>
    /** The values over there of fields that were changed on both sides, or that cannot be taken over. */
    conflicts: ColumnType<Fields | null, string | null, string | null>
    /** One of the two was deleted. */
    gone: Generated<boolean>
    mark: number
  }
}

export type Statuses = { done: string[]; open: string[] }
export type SyncRow = Selectable<NotionDb['notion_syncs']>
export type LinkRow = Selectable<NotionDb['notion_links']>
