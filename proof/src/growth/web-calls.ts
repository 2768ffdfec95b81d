import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

// Calls of the screens, taken from the web app's sources: a call that is added there is a call here.

export type Read = { table: string; query: string }
type Ids = { user_id: string; conversation_id: string; id?: string }

const WEB = join(import.meta.dirname, '../../../web/src')

async function sources(): Promise<string[]> {
  const paths = (await readdir(WEB, { recursive: true })).filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  const texts = await Promise.all(paths.toSorted().map((path) => readFile(join(WEB, path), 'utf8')))
  return texts.map((text) => text.replace(/\/\*\*.*?\*\//gs, ''))
}

/** The names of the functions that screens call: what changes as well as what reads. */
export async function functionsOfWebApp(): Promise<Set<string>> {
  const texts = await sources()
  const calls = /\b(?:call|callPublic|useCall|useCallMutation|streamAnswer<\w+>)\(\s*'([\w-]+)'/g
  const streams = /'\/functions\/v1\/([\w-]+)'/g
  return new Set(texts.flatMap((text) => [...text.matchAll(calls), ...text.matchAll(streams)].map(([, name]) => name!)))
}

/** The methods of the auth client that screens use, as `mfa.listFactors`. */
export async function authOfWebApp(): Promise<Set<string>> {
  const texts = await sources()
  return new Set(texts.flatMap((text) => [...text.matchAll(/\bauth\.((?:\w+\.)*\w+)\(/g)].map(([, name]) => name!)))
}

/** Every read of the data API, as its sources build it: filters, order and limit. */
export async function readsOfWebApp(ids: Ids): Promise<Read[]> {
  const reads = (await sources()).flatMap((text) => [...chainsOf(text, ids), ...addressesOf(text, ids)])
  return [...new Map(reads.map((read) => [`${read.table}?${read.query}`, read])).values()]
}

/** How many reads name their table in a way that `readsOfWebApp` cannot follow: none. */
export async function unreadable(): Promise<string[]> {
  const texts = await sources()
  const found = texts.flatMap((text) => [...text.matchAll(/\brest\s*\.from\((?!')([^)]*)\)(\s*\.\w+)/g)])
  return found.map(([, table, verb]) => `from(${table})${verb}`).filter((each) => !/\.(update|delete|insert)$/.test(each))
}

function chainsOf(text: string, ids: Ids): Read[] {
  const numbers = new Map([...text.matchAll(/const (\w+) = ([\d_]+)$/gm)].map(([, name, value]) => [name, value!.replaceAll('_', '')]))
  const calls = text.split(/\.from\('/).slice(1)
  return calls.flatMap((call) => {
    const [chain = ''] = call.split(/;|\n\n/)
    if (!/\.select\(/.test(chain)) return []
    const table = chain.slice(0, chain.indexOf("'"))
    const order = [...chain.matchAll(/\.order\('(\w+)'(?:, \{ ascending: (true|false))?/g)].map(
      ([, column, ascending]) => `${column}.${ascending === 'false' ? 'desc' : 'asc'}`,
    )
    const [, columns = '*'] = /\.select\('([\w,*]+)'/.exec(chain) ?? []
    const [, limit = ''] = /\.limit\((\w+)\)/.exec(chain) ?? []
    const [, page = ''] = /\.range\(.*?\+ (\w+) - 1\)/.exec(chain) ?? []
    const filters = [...chain.matchAll(/\.(eq|in)\('(\w+)', ([\w.!']+)/g)].map(([, verb, column, value]) => {
      const wanted = meant(table, column!, value!, ids)
      return `${column}=${verb === 'in' ? `in.(${wanted})` : `eq.${wanted}`}`
    })
    const parts = [`select=${columns}`, ...filters, ...(order.length ? [`order=${order.join()}`] : [])]
    const bound = numbers.get(limit || page) ?? limit
    return [{ table, query: [...parts, ...(bound ? [`limit=${bound}`] : [])].join('&') }]
  })
}

/** Reads of a visitor, by address: `read<Item>('marketplace_items', { … })`. */
function addressesOf(text: string, ids: Ids): Read[] {
  return [...text.matchAll(/\bread<\w+>\('(\w+)', \{(.*?)\}\)/gs)].map(([, table, query]) => {
    const parts = [...query!.matchAll(/(\w+): [`']([^`']*)[`']/g)].map(([, name, value]) => {
      const [, verb, of] = /^(\w+)\.\$\{(.*)\}$/.exec(value!) ?? []
      return `${name}=${verb ? `${verb}.${meant(table!, name!, of!, ids)}` : value}`
    })
    return { table: table!, query: parts.join('&') }
  })
}

/** A literal stands for itself; an id is that of the account, or of something that it owns. */
function meant(table: string, column: string, value: string, ids: Ids): string {
  if (/^'|^(true|false|\d+)$/.test(value)) return value.replaceAll("'", '')
  if (column === 'user_id') return ids.user_id
  if (column === 'conversation_id' || (table === 'ai_conversations' && column === 'id')) return ids.conversation_id
  if (column === 'feature') return 'assistant,chat'
  if (column === 'email') return 'person-7@example.com'
  if (/slug/.test(column)) return 'slug-7'
  return ids.id ?? '01900000-0000-7000-8000-000000000000'
}
