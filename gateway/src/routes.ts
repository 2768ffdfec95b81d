import { type Access, type DemoUse, demoUseOf, type Endpoint, type RateClass, type Table } from '@operon/contracts/contract'
import type { ProcessName } from '@operon/contracts/services'
import type { ZodType } from 'zod'

/** A service's HTTP operations; the registry makes these for the real services. */
export type Spoken = { service: ProcessName; endpoints: Endpoint[]; tables: Table[]; shapes?: Record<string, ZodType> }

export type Route = {
  service: ProcessName
  /** The path as the contract has it: a label that cannot explode. */
  label: string
  access: Access
  halfSignedIn: true | undefined
  rate: RateClass
  demo: DemoUse
  maxBytes: number
  /** Somebody's file: opened in a browser it may run nothing. */
  isFile: boolean
  apiKeys: boolean
  /** An OAuth resource, which takes no session. */
  resource?: true | undefined
  idempotent: boolean
}
export type Entry = { methods: Map<string, Route>; allow: string }

type Node = { literal: Map<string, Node>; param: Node | null; rest: Entry | null; entry: Entry | null }

const MIB = 1024 * 1024
const apiPrefixes = [
  '/auth/v1',
  '/rest/v1',
  '/functions/v1',
  '/ai/v1',
  '/files/v1',
  '/webhooks',
  '/sandbox',
  '/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
]

/** Paths that speak a protocol; everything else that no contract names is the web app's. */
export const isApi = (path: string): boolean => apiPrefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))

export type Routes = { find(path: string): Entry | null }

/** Compiled once: exact paths by one map, paths with parameters by a tree of segments where a literal wins over a parameter. */
export function compileRoutes(spoken: Spoken[], options: { maxUploadBytes?: number } = {}): Routes {
  const exact = new Map<string, Entry>()
  const root = emptyNode()
  const add = (path: string, method: string, route: Route) => {
    const entry = /[:*]/.test(path) ? entryOf(root, path) : setDefault(exact, path)
    entry.methods.set(method, route)
    if (method === 'GET') entry.methods.set('HEAD', route)
    entry.allow = [...entry.methods.keys(), 'OPTIONS'].join(', ')
  }
  for (const { service, endpoints, tables } of spoken) {
    for (const endpoint of endpoints) add(endpoint.path, endpoint.method, routeOf(service, endpoint))
    for (const table of tables) addTable(add, service, table)
    const label = `/files/v1/${service}/*`
    const files = { service, label, access: 'public' as const, halfSignedIn: undefined, apiKeys: false, isFile: true, idempotent: false }
    add(label, 'GET', { ...files, rate: 'read', demo: 'reads', maxBytes: 0 })
    add(label, 'PUT', { ...files, rate: 'write', demo: 'changes', maxBytes: options.maxUploadBytes ?? 256 * MIB })
  }
  return { find: (path) => exact.get(path) ?? walk(root, path.split('/'), 1) }
}

function routeOf(service: ProcessName, endpoint: Endpoint): Route {
  const { path, method, access, halfSignedIn, rate, maxBytes = MIB, apiKeys = false, resource, idempotent } = endpoint
  const demo = demoUseOf(endpoint, method)
  return {
    service,
    label: path,
    access,
    halfSignedIn,
    rate,
    demo,
    maxBytes,
    apiKeys,
    resource,
    idempotent: idempotent !== undefined,
    isFile: false,
  }
}

type Add = (path: string, method: string, route: Route) => void

/** Every verb reaches the data API, which answers 42501 to those that a table does not take. */
function addTable(add: Add, service: ProcessName, table: Table) {
  const label = `/rest/v1/${table.name}`
  const { access, halfSignedIn, rate } = table
  const route: Route = {
    service,
    label,
    access,
    halfSignedIn,
    rate,
    demo: 'reads',
    maxBytes: MIB,
    apiKeys: false,
    idempotent: false,
    isFile: false,
  }
  add(label, 'GET', route)
  for (const method of ['POST', 'PATCH', 'DELETE', 'PUT']) add(label, method, { ...route, rate: 'write', demo: 'changes' })
}

const emptyNode = (): Node => ({ literal: new Map(), param: null, rest: null, entry: null })
const emptyEntry = (): Entry => ({ methods: new Map(), allow: '' })

function setDefault(map: Map<string, Entry>, path: string): Entry {
  const entry = map.get(path) ?? emptyEntry()
  map.set(path, entry)
  return entry
}

function entryOf(root: Node, path: string): Entry {
  let node = root
  for (const segment of path.split('/').slice(1)) {
    if (segment === '*') {
      node.rest ??= emptyEntry()
      return node.rest
    }
    if (segment.startsWith(':')) {
      node.param ??= emptyNode()
      node = node.param
      continue
    }
    const next = node.literal.get(segment) ?? emptyNode()
    node.literal.set(segment, next)
    node = next
  }
  node.entry ??= emptyEntry()
  return node.entry
}

function walk(node: Node, segments: string[], at: number): Entry | null {
  if (at === segments.length) return node.entry
  const segment = segments[at]!
  const literal = node.literal.get(segment)
  const found = literal && walk(literal, segments, at + 1)
  if (found) return found
  const named = segment !== '' && node.param && walk(node.param, segments, at + 1)
  return named || node.rest
}
