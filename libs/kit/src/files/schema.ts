import { type Generated, type Kysely, sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export type FilesDb = {
  files: {
    id: string
    user_id: string
    key: string
    name: string
    /** As it was announced; the quota holds it from the first moment. */
    bytes: number
    received: Generated<number>
    /** As the caller says, and as the content shows once all of it is here. */
    said_type: string
    type: string | null
    sha256: string | null
    scan: Generated<'none' | 'clean' | 'infected'>
    state: Generated<'uploading' | 'ready'>
    /** The storage's own state for going on with an upload, and the first bytes, which tell the type. */
    upload: string | null
    head: Generated<Buffer>
    lock_id: string | null
    locked_until: Date | null
    created_at: Generated<Date>
    finished_at: Date | null
  }
  file_usage: { user_id: string; bytes: number }
  file_links: {
    id: string
    file_id: string
    user_id: string
    token_hash: string
    expires_at: Date
    revoked_at: Date | null
    created_at: Generated<Date>
  }
}

/** For the migrations of a service that keeps files of people. */
export const fileTables: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table files (
        id uuid primary key, user_id uuid not null, key text not null unique, name text not null, bytes bigint not null check (bytes >= 0),
        received bigint not null default 0 check (received <= bytes), said_type text not null, type text, sha256 text,
        scan text not null default 'none' check (scan in ('none', 'clean', 'infected')),
        state text not null default 'uploading' check (state in ('uploading', 'ready')),
        upload text, head bytea not null default '', lock_id uuid, locked_until timestamptz,
        created_at timestamptz not null default now(), finished_at timestamptz
      )`.execute(db)
    await sql`create index files_of_user on files (user_id, id)`.execute(db)
    await sql`create index files_unfinished on files (created_at) where state = 'uploading'`.execute(db)
    await sql`create table file_usage (user_id uuid primary key, bytes bigint not null check (bytes >= 0))`.execute(db)
    await sql`
      create table file_links (
        id uuid primary key, file_id uuid not null references files on delete cascade, user_id uuid not null, token_hash text not null unique,
        expires_at timestamptz not null, revoked_at timestamptz, created_at timestamptz not null default now()
      )`.execute(db)
    await sql`create index file_links_of_user on file_links (user_id, id)`.execute(db)
    await sql`create index file_links_of_file on file_links (file_id)`.execute(db)
    await sql`create index file_links_age on file_links (expires_at)`.execute(db)
  },
}
