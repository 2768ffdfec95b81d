import { openDatabase } from '@operon/kit/db'
import { migrate } from '@operon/kit/migrate'
import { dropTestDatabase, emptyTestDatabase } from '@operon/kit/testing/database'
import { expect, test } from 'vitest'
import { aiGatewayService } from './service.ts'

const ANN = '0199a000-0000-7000-8000-000000000001'
const PIECES = '0199a000-0000-7000-8000-00000000c0de'
const before = Object.fromEntries(Object.entries(aiGatewayService.migrations).filter(([name]) => name < '0016'))

test('what was used and written before is added up once, a second fill adds nothing, and what comes later is added as it comes', async () => {
  const url = await emptyTestDatabase()
  await migrate(url, before)
  const { pool, db } = openDatabase(url, 2, () => {})
  const use = (from: number, to: number) =>
    pool.query(
      `insert into ai_usage (id, user_id, feature, model, answered_by, status, prompt_tokens, completion_tokens, counted, cost_microusd, duration_ms, created_at)
       select lpad(to_hex(n), 32, '0')::uuid, $3, 'assistant', 'm', 'm', case when n % 10 = 0 then 'failed' else 'completed' end, 2, 3, true, 7, 11, now() - n * interval '1 minute'
       from generate_series($1::int, $2::int) n`,
      [from, to, ANN],
    )
  const write = (from: number, to: number, state: string) =>
    pool.query(
      `insert into ai_messages (id, conversation_id, user_id, role, content, state)
       select lpad(to_hex(n), 32, '0')::uuid, $3, $4, 'assistant', ' three  short words ', $5 from generate_series($1::int, $2::int) n`,
      [from, to, PIECES, ANN, state],
    )
  const used = async () =>
    (await pool.query('select sum(answers)::int as answers, sum(cost_microusd)::int as cost from ai_usage_days where user_id = $1', [ANN]))
      .rows[0]
  const written = async () =>
    (
      await pool.query(
        'select sum(pieces)::int as pieces, sum(words)::int as words, sum(finished)::int as finished from ai_written where user_id = $1',
        [ANN],
      )
    ).rows[0]
  await pool.query("insert into ai_conversations (id, user_id, title, feature, model) values ($1, $2, 't', 'content', 'm')", [PIECES, ANN])
  await use(1, 4_010)
  await write(1, 20, 'complete')
  await write(21, 30, 'cut')
  await write(31, 40, 'streaming')

  const { up, fill } = aiGatewayService.migrations['0016_running_sums']!
  await migrate(url, { ...before, '0016_running_sums': { up: up!, fill: fill! } })
  expect(await used()).toEqual({ answers: 3_609, cost: 4_010 * 7 })
  expect(await written()).toEqual({ pieces: 30, words: 90, finished: 20 })
  await fill!(db)
  expect(await used()).toEqual({ answers: 3_609, cost: 4_010 * 7 })
  expect(await written()).toEqual({ pieces: 30, words: 90, finished: 20 })

  await migrate(url, aiGatewayService.migrations)
  await use(5_001, 5_001)
  await pool.query("update ai_messages set state = 'complete' where state = 'streaming'")
  await pool.query("update ai_messages set state = 'stopped' where state = 'complete'")
  expect(await used()).toEqual({ answers: 3_610, cost: 4_011 * 7 })
  expect(await written()).toEqual({ pieces: 40, words: 120, finished: 30 })
  await db.destroy()
  await dropTestDatabase(url)
})
