import { sampleCall } from './document.ts'
import type { Actor, Attack, World } from './world.ts'

// S2: what one seller has, asked for by another: by path, query and body. Nothing of it may be told, and nothing may change.
export const attack: Attack = async (world) => {
  const owner = await world.fresh('seller')
  const stranger = await world.fresh('other seller')
  const ids = await belongings(world, owner)
  const before = await everything(world, owner)
  const findings: string[] = Object.keys(ids).length < 6 ? [`only ${Object.keys(ids).join(', ')} could be made to attack`] : []
  let tried = 0
  for (const operation of world.operations) {
    const { path, body } = sampleCall(operation, ids)
    const swapped = Object.entries(ids).filter(([, id]) => path.includes(id) || JSON.stringify(body ?? '').includes(id))
    if (swapped.length === 0 || /admin/.test(path)) continue
    tried++
    const { status, text } = await world.call(
      stranger,
      operation.method,
      path,
      body,
      operation.table ? { prefer: 'return=representation' } : {},
    )
    if (status >= 500) findings.push(`${operation.name}: answered ${status}`)
    if (status === 403) findings.push(`${operation.name}: answered 403, which tells that it exists`)
    const told = status < 300 && text !== '[]' && text !== '' && swapped.some(([, id]) => text.includes(id))
    if (told && !/ai-compare-stop|ai-stop/.test(path))
      findings.push(`${operation.name}: told a stranger about ${swapped.map(([of]) => of).join(', ')}: ${text.slice(0, 120)}`)
  }
  const after = await everything(world, owner)
  if (before !== after) findings.push('something of the owner changed under a stranger')
  return { tried, findings }
}

async function belongings(world: World, owner: Actor): Promise<Record<string, string>> {
  const post = async (name: string, body: unknown) => (await world.call(owner, 'POST', `/functions/v1/${name}`, body)).body
  const rows = async (table: string) => (await world.call(owner, 'GET', `/rest/v1/${table}?limit=1`)).body?.[0]?.id as string | undefined
  const chat = await post('ai-chat', { message: 'Remember that I sell candles', conversation_id: 'new' })
  await world.call(owner, 'POST', '/rest/v1/ai_prompts', { title: 'Mine', body: 'Write about candles' })
  await post('ai-compare', { prompt: 'hello', models: ['gpt-4o-mini'] })
  const key = await post('ai-key-create', { name: 'Shop' })
  const analyst = await post('ai-orchestrator', {
    message: 'Please suggest names for my shop and open the brand builder',
    task_type: 'action',
  })
  const sessions = await post('account-sessions', {})
  const found = {
    conversation: chat?.conversation_id,
    message: chat?.message_id,
    ai_key: key?.id,
    action: analyst?.suggested_actions?.[0]?.id,
    saved_prompt: await rows('ai_prompts'),
    comparison: await rows('ai_comparisons'),
    session: sessions?.sessions?.[0]?.id,
    notification: await until(() => rows('notifications')),
    activity: await until(() => rows('activity_logs')),
  }
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => Boolean(entry[1])))
}

async function everything(world: World, owner: Actor): Promise<string> {
  const tables = [
    'ai_conversations',
    'ai_messages',
    'ai_prompts',
    'ai_comparisons',
    'ai_keys?select=id,name,revoked_at',
    'notifications?select=id,read_at',
    'user_integrations',
  ]
  const answers = await Promise.all(tables.map((table) => world.call(owner, 'GET', `/rest/v1/${table}`)))
  return answers.map(({ text }) => text).join('\n')
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let i = 0; i < 50; i++) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return undefined
}
