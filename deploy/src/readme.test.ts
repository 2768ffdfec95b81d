import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, resolve } from 'node:path'
import { testDatabase } from '@operon/kit/testing/database'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { loadDefinition } from './services.ts'

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const folder = join(root, 'deploy/.cache', `readme-${process.pid}`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The code blocks of a chapter, as somebody copies them. */
const blocks = (title: string) => {
  const chapter = text('README.md').split(`## ${title}\n`)[1]!.split('\n## ')[0]!
  return [...chapter.matchAll(/^ *```ts\n(.*?)^ *```$/gms)].map((match) => match[1]!.replace(/^ {3}/gm, ''))
}

test('the endpoint that the README adds works as it is written there', async () => {
  const [contract, domain, route] = blocks('Add an endpoint')
  mkdirSync(folder, { recursive: true })
  const load = (name: string, code: string) => {
    const path = join(folder, `${name}.mjs`)
    writeFileSync(path, stripTypeScriptTypes(code))
    return import(path)
  }
  // With what stands at the top of the file it is added to.
  const head = text('libs/contracts/src/billing/api.ts')
    .match(/^import .* from '(zod|\.\.\/contract\.ts|\.\/shapes\.ts)'$/gm)!
    .join('\n')
  const imports = head.replace('../contract.ts', '@operon/contracts/contract').replace('./shapes.ts', '@operon/contracts/billing/shapes')
  const { firstCharge: declared } = await load('contract', `${imports}\n${contract}`)
  const { firstCharge } = await load('domain', domain!)
  const billing = await testDatabase(await loadDefinition('billing'))
  const [id, other, at] = [randomUUID(), randomUUID(), new Date('2026-11-01T10:00:00Z')]
  const entry = (userId: string, kind: string, hours: number) => {
    const occurred_at = new Date(at.getTime() + hours * 3_600_000)
    return { id: randomUUID(), reference: `${kind}:${userId}:${hours}`, kind, user_id: userId, description: '', occurred_at }
  }
  await billing.db.transaction().execute(async (trx) => {
    // An entry without its two sides is enough here, which the ledger's trigger would refuse.
    await sql`set local session_replication_role = replica`.execute(trx)
    const entries = [entry(id, 'charge', 5), entry(id, 'charge', 0), entry(other, 'charge', -5), entry(id, 'refund', -1)]
    await trx.insertInto('ledger_entries').values(entries).execute()
  })
  const ask = (actorId: string) => firstCharge({ db: billing.db, actor: { kind: 'user', id: actorId } }, {})
  expect(declared.reply.parse(await ask(id))).toEqual({ at: at.toISOString() })
  expect(declared.reply.parse(await ask(randomUUID()))).toEqual({ at: null })
  await billing.drop()

  expect(declared).toMatchObject({ path: '/functions/v1/first-charge', access: 'user' })
  expect(text('services/billing/src/routes.ts')).toContain(
    route!
      .trim()
      .replace(/firstCharge/g, 'listInvoices')
      .split(', list')[0],
  )
})
