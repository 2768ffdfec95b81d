import { generateKeyPairSync } from 'node:crypto'
import { id, table } from '@operon/contracts/contract'
import { createClient } from '@supabase/supabase-js'
import { createSigner } from 'fast-jwt'
import { sql } from 'kysely'
import { z } from 'zod'
import { TokenVerifier } from '../auth.ts'
import { signedIn, userIdOf } from '../context.ts'
import { createHttp } from '../http.ts'
import { newId } from '../ids.ts'
import { createMetrics } from '../metrics.ts'
import { createLogger } from '../telemetry.ts'
import { testDatabase } from '../testing/database.ts'
import { serveTable } from './table.ts'

const columns = z.object({
  id: id('note'),
  user_id: z.uuid(),
  title: z.string().nullable(),
  pages: z.int(),
  price: z.number().nullable(),
  done: z.boolean().nullable(),
  due: z.iso.date().nullable(),
  created_at: z.iso.datetime({ offset: true }),
})
const notes = table('notes', {
  access: 'user',
  columns,
  insert: z.object({ title: z.string().max(40), pages: z.int().min(0) }),
  update: z.object({ title: z.string().max(40).optional(), pages: z.int().optional() }),
  delete: true,
})
/** Read by the public where it is done; nothing writes it. */
const doneNotes = table('done_notes', { access: 'public', columns: columns.pick({ id: true, title: true }) })

const migrations = {
  '0001_notes': {
    async up(db: any) {
      await sql`create table notes (id uuid primary key, user_id uuid not null, title text, pages integer not null default 0, price numeric(12, 2), done boolean, due date,
        secret text not null default 'hidden', created_at timestamptz not null default now(), unique (user_id, title))`.execute(db)
    },
  },
}

/** Two tables of the data API over real HTTP, with people who sign in as identity's tokens would have them. */
export async function startDataApi() {
  const database = await testDatabase({ name: 'data', migrations })
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = 'http://localhost/auth/v1'
  const sign = createSigner({
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    algorithm: 'ES256',
    kid: 'test',
    expiresIn: 3_600_000,
  })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'ES256' as const }
  const verifier = new TokenVerifier({
    load: async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] }),
    publishableKeys: ['anon'],
  })
  const app = createHttp({ service: 'data', db: database.db, log: createLogger(process.env.LOG_LEVEL), verifier, metrics: createMetrics() })
  serveTable(app, notes, {
    scope: (ctx) => ({ user_id: userIdOf(ctx.actor) }),
    insert: (ctx, rows) =>
      ctx.db
        .insertInto('notes')
        .values(rows.map((row) => ({ ...row, id: newId(), user_id: signedIn(ctx).id })))
        .returningAll()
        .execute(),
    update: (ctx, { where, patch }) => ctx.db.updateTable('notes').set(patch).where(where).returningAll().execute(),
    delete: (ctx, { where }) => ctx.db.deleteFrom('notes').where(where).returningAll().execute(),
  })
  serveTable(app, doneNotes, { from: 'notes', scope: () => sql<boolean>`done is true` })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  return {
    url,
    db: database.db as any,
    async person() {
      const userId = newId()
      const token = sign({
        iss: issuer,
        aud: 'authenticated',
        role: 'authenticated',
        sub: userId,
        session_id: newId(),
        aal: 'aal1',
        app_metadata: {},
        user_metadata: {},
      })
      return { id: userId, token, client: clientOf(url, token) }
    },
    stranger: () => clientOf(url),
    async close() {
      await app.close()
      await database.drop()
    },
  }
}

function clientOf(url: string, token?: string) {
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {}
  return createClient(url, 'anon', { auth: { persistSession: false, autoRefreshToken: false }, global: { headers } })
}
