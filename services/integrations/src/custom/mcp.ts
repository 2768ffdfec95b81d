import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { DomainError } from '@operon/kit/errors'
import type { GuardedFetch } from '@operon/kit/fetch'
import type { Held } from '../apps/app.ts'
import { custom } from '../apps/custom.ts'
import type { Connecting } from '../connections/connect.ts'

/** A tool of somebody else's server. What it says of itself is their text, and none of it decides whether it runs. */
export type Tool = {
  name: string
  title: string
  description: string
  schema: Record<string, unknown>
  /** Their own word that it only reads: shown to the person who decides. */
  readOnly: boolean
  allow: 'no' | 'asks' | 'reads'
}
export type Server = { fetch: GuardedFetch; url: string; headers: Record<string, string>; signal?: AbortSignal }

const MOST_TOOLS = 100
const MOST_PAGES = 10
const MOST_SCHEMA = 8_000
const MOST_BYTES = 2 * 1024 * 1024
const DEADLINE_MS = 20_000

/** Loaded with the first call: most installations connect no server. */
async function load() {
  const [client, transport, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return { ...client, ...transport, ...types }
}
type Sdk = Awaited<ReturnType<typeof load>>

/** Asks the server once, through the guarded fetch. What refused or blocked a request is thrown as itself. */
async function asked<T>({ fetch, url, headers, signal }: Server, work: (client: Client, sdk: Sdk) => Promise<T>): Promise<T> {
  const sdk = await load()
  const { Client, StreamableHTTPClientTransport, McpError } = sdk
  const deadline = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(signal ? [signal] : [])])
  let refused: unknown
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    reconnectionOptions: { maxRetries: 0, initialReconnectionDelay: 1, maxReconnectionDelay: 1, reconnectionDelayGrowFactor: 1 },
    fetch: async (address, init = {}) => {
      // Nobody listens for what the server says unasked.
      if (init.method === 'GET') return new Response(null, { status: 405 })
      try {
        const response = await fetch(String(address), {
          method: init.method ?? 'POST',
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(typeof init.body === 'string' && { body: init.body }),
          ...{ deadlineMs: DEADLINE_MS, maxBytes: MOST_BYTES, maxRedirects: 0, tries: 1, signal: deadline },
        })
        if (!response.ok && init.method !== 'DELETE') refused = new Refused(response.status, Number(response.headers.get('retry-after')))
        return response as unknown as Response
      } catch (error) {
        refused = error
        throw error
      }
    },
  })
  // It can ask nothing of us: no sampling, no roots, no questions to the person.
  const client = new Client({ name: 'Operon', version: '1' }, { capabilities: {} })
  try {
    await client.connect(transport as Parameters<Client['connect']>[0], { signal: deadline, timeout: DEADLINE_MS })
    return await work(client, sdk)
  } catch (error) {
    if (refused) throw refused
    if (error instanceof McpError) throw new Refused(422, 0, plain(error.message, 300))
    if (deadline.aborted) throw new DomainError('upstream_timeout', { cause: error })
    throw error
  } finally {
    await transport.terminateSession().catch(() => {})
    await client.close().catch(() => {})
  }
}

class Refused extends Error {
  readonly status: number
  readonly retryAfterMs: number | null
  constructor(status: number, retrySeconds = 0, message = `it answered ${status}`) {
    super(message)
    this.status = status
    this.retryAfterMs = retrySeconds > 0 ? retrySeconds * 1000 : null
  }
}

/** Its tools, as it tells them. The SDK's own listing would compile their schemas, which are a stranger's. */
async function toolsOf(server: Server): Promise<{ tools: Tool[]; leftOut: number }> {
  const found = await asked(server, async (client, { ListToolsResultSchema }) => {
    const all: unknown[] = []
    let cursor: string | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer = await client.request({ method: 'tools/list', params: cursor ? { cursor } : {} }, ListToolsResultSchema)
      all.push(...answer.tools)
      cursor = answer.nextCursor
      if (!cursor || all.length > MOST_TOOLS) break
    }
    return all as { name: string; title?: string; description?: string; inputSchema: object; annotations?: Record<string, unknown> }[]
  })
  const tools = new Map<string, Tool>()
  for (const { name, title, description = '', inputSchema, annotations = {} } of found) {
    if (!name || name.length > 120 || tools.has(name) || tools.size >= MOST_TOOLS) continue
    if (JSON.stringify(inputSchema).length > MOST_SCHEMA) continue
    tools.set(name, {
      name,
      title: plain(title ?? annotations.title ?? name, 200) || name,
      description: plain(description, 600),
      schema: inputSchema as Record<string, unknown>,
      readOnly: annotations.readOnlyHint === true,
      allow: 'no',
    })
  }
  return { tools: [...tools.values()], leftOut: found.length - tools.size }
}
const plain = (text: unknown, most: number) => String(text).replace(/\s+/g, ' ').trim().slice(0, most)

/** An allowance stays for the tools that are what they were; one that says or takes something else has to be allowed anew. */
export function allowedAsBefore(tools: Tool[], before: Tool[]): Tool[] {
  const same = (one: Tool, other: Tool) => JSON.stringify({ ...one, allow: null }) === JSON.stringify({ ...other, allow: null })
  return tools.map((tool) => ({
    ...tool,
    allow: before.find((known) => known.name === tool.name && same(inOrder(known), inOrder(tool)))?.allow ?? 'no',
  }))
}
/** JSON comes out of the database with its keys in another order. */
function inOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inOrder) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, inOrder(each)]),
  ) as T
}

/** One call of a tool, in the shape of an HTTP answer. */
export async function callTool(server: Server, tool: { name: string; arguments: Record<string, unknown> }) {
  try {
    const { content, isError } = await asked(server, (client, { CallToolResultSchema }) =>
      client.request({ method: 'tools/call', params: tool }, CallToolResultSchema, { timeout: DEADLINE_MS }),
    )
    const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
    return isError
      ? { status: 422, answer: { message: text.slice(0, 300) }, retryAfterMs: null }
      : { status: 200, answer: text, retryAfterMs: null }
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, answer: { message: error.message }, retryAfterMs: error.retryAfterMs }
    throw error instanceof DomainError ? error : new DomainError('upstream_failed', { cause: error })
  }
}

/** The tools that a server says it has, with its refusals in words. */
export async function toolsAt(held: Held, { places }: Pick<Connecting, 'places'>, signal: AbortSignal) {
  const { headers = {}, query = {} } = custom.sign!(held, { path: '' })
  const search = Object.keys(query).length ? `?${new URLSearchParams(query as Record<string, string>)}` : ''
  try {
    return await toolsOf({ fetch: places.strangers, url: `${held.base}${search}`, headers, signal })
  } catch (error) {
    if (error instanceof DomainError) throw error
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) throw new DomainError('app_key_refused')
    throw new DomainError('custom_api_document', { message: 'No MCP server answers at this address (streamable HTTP).', cause: error })
  }
}
