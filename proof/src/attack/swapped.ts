import { createHmac } from 'node:crypto'
import { serviceNames } from '@operon/contracts/services'
import { sql } from 'kysely'
import type { Actor, Attack } from './world.ts'

// S20: whoever can write to the database puts one tenant's sealed secret into another's row: it must not open there.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  const db = world.platform.db('identity')
  const bob = await world.fresh('seller')
  const his = await enrol(bob)
  const hisSealed = await sealed(his.id)
  const [version, key, hisKey, hisText] = hisSealed.split('.') as [string, string, string, string]
  const forge: [string, (own: string[]) => string][] = [
    ["another tenant's secret", () => hisSealed],
    ["another's wrapped key beside one's own text", (own) => [version, key, hisKey, own[3]].join('.')],
    ["another's text beside one's own wrapped key", (own) => [version, key, own[2], hisText].join('.')],
    ['a changed byte', (own) => own.join('.').slice(0, -2) + (own[3]!.endsWith('AA') ? 'BB' : 'AA')],
    ['a plain secret', () => his.secret],
  ]
  for (const [what, forged] of forge) {
    // Somebody new each time: guesses at one factor are few.
    const ann = await world.fresh('seller')
    const hers = await enrol(ann)
    const own = await sealed(hers.id)
    await put(hers.id, forged(own.split('.')))
    for (const secret of [his.secret, hers.secret]) {
      const { status, text } = await verify(ann, hers.id, secret)
      if (status < 400 || status === 429) findings.push(`${what} in another's row: ${status} ${text.slice(0, 80)}`)
    }
    await put(hers.id, own)
    if ((await verify(ann, hers.id, hers.secret)).status !== 200) findings.push(`her own secret does not open after ${what}`)
  }
  // Every other column that holds sealed values is bound as well: none opens under another row's name.
  const kinds = await sealedColumns()
  return { tried: forge.length * 3 + kinds.tried, findings: [...findings, ...kinds.findings] }

  async function sealed(id: string) {
    const { rows } = await sql<{ s: string }>`select sealed_secret as s from factors where id = ${id}`.execute(db)
    return rows[0]!.s
  }

  function put(id: string, value: string) {
    return sql`update factors set sealed_secret = ${value} where id = ${id}`.execute(db)
  }

  async function enrol(actor: Actor): Promise<{ id: string; secret: string }> {
    const { body } = await world.call(actor, 'POST', '/auth/v1/factors', { factor_type: 'totp', friendly_name: 'phone' })
    return { id: body.id, secret: body.totp.secret }
  }

  async function verify(actor: Actor, factor: string, secret: string) {
    const { body } = await world.call(actor, 'POST', `/auth/v1/factors/${factor}/challenge`)
    return world.call(actor, 'POST', `/auth/v1/factors/${factor}/verify`, { challenge_id: body.id, code: codeOf(secret) })
  }

  async function sealedColumns() {
    const found: string[] = []
    let tried = 0
    for (const name of serviceNames) {
      const db = world.platform.db(name)
      const { rows } = await sql<{ t: string; c: string }>`
        select table_name as t, column_name as c from information_schema.columns where table_schema = 'public' and column_name like 'sealed%'`.execute(
        db,
      )
      for (const { t, c } of rows) {
        const values = (
          await sql<{ v: string }>`select ${sql.ref(c)} as v from ${sql.table(t)} where ${sql.ref(c)} is not null limit 3`.execute(db)
        ).rows
        for (const { v } of values) {
          tried++
          for (const context of ['', t, c, `${t}:`])
            try {
              world.platform.vault.open(v, context)
              found.push(`${name}.${t}.${c} opens under the name ${JSON.stringify(context)}`)
            } catch {}
        }
      }
    }
    return { tried, findings: found }
  }
}

/** The six digits of now. */
function codeOf(secret: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret.replace(/=+$/, '')].map((char) => alphabet.indexOf(char).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const at = mac.at(-1)! & 15
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
