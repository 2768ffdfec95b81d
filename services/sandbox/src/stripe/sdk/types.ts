import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { parseAst } from 'vitest/node'

// Reads the provider's SDK: what each operation takes and answers, as JSON Schema, out of the types that it ships. For tests and for
// `npm run generate`; nothing of it runs in the stand-in.

export type Schema = Record<string, any>
type SdkOperation = { method: string; path: string; params: Schema | null; reply: Schema | null }
type Node = Record<string, any>
type Scope = {
  file: string
  name: string
  own: Map<string, Node>
  spaces: Map<string, Scope>
  imports: Map<string, [string, string]>
  parent: Scope | null
}

const sdkRoot = dirname(createRequire(import.meta.url).resolve('stripe')).replace(/cjs$/, 'esm')

export function readSdk() {
  const files = new Map<string, Scope>()
  const defs: Record<string, Schema> = {}

  function fileOf(path: string): Scope {
    const known = files.get(path)
    if (known) return known
    const scope = scopeOf(parseAst(readFileSync(path, 'utf8'), { lang: 'dts' } as never).body as Node[], path, '', null)
    files.set(path, scope)
    return scope
  }

  function scopeOf(body: Node[], file: string, name: string, parent: Scope | null): Scope {
    const scope: Scope = { file, name, own: new Map(), spaces: new Map(), imports: new Map(), parent }
    for (const statement of body) {
      if (statement.type === 'ImportDeclaration' && statement.source.value.startsWith('.'))
        for (const { local, imported } of statement.specifiers)
          scope.imports.set(local.name, [
            join(dirname(file), statement.source.value.replace(/\.js$/, '.d.ts')),
            imported?.name ?? 'default',
          ])
      const declared = statement.declaration ?? statement
      if (declared.type === 'TSModuleDeclaration') {
        const space = scopeOf(declared.body.body, file, `${name}${declared.id.name}.`, scope)
        const before = scope.spaces.get(declared.id.name)
        scope.spaces.set(declared.id.name, before ? joined(before, space) : space)
      } else if (declared.id?.name) scope.own.set(declared.id.name, declared)
    }
    return scope
  }

  /** A namespace may be opened several times; what is inside keeps its own way out. */
  function joined(before: Scope, more: Scope): Scope {
    for (const [name, node] of more.own) before.own.set(name, node)
    for (const [name, space] of more.spaces) before.spaces.set(name, { ...space, parent: before })
    return before
  }

  function find(name: string, from: Scope): { scope: Scope; node: Node; name: string } | null {
    for (let scope: Scope | null = from; scope; scope = scope.parent) {
      const node = scope.own.get(name)
      if (node) return { scope, node, name }
      const imported = scope.imports.get(name)
      if (imported) return find(imported[1], fileOf(imported[0]))
    }
    return null
  }

  function findSpace(name: string, from: Scope): Scope | null {
    for (let scope: Scope | null = from; scope; scope = scope.parent) {
      const space = scope.spaces.get(name)
      if (space) return space
      const imported = scope.imports.get(name)
      if (imported) return findSpace(imported[1], fileOf(imported[0]))
    }
    return null
  }

  function named(ref: Node, scope: Scope, args: Node[]): Schema {
    if (ref.type === 'TSQualifiedName') {
      const space = spaceOf(ref.left, scope)
      return space ? named(ref.right, space, args) : {}
    }
    const name = ref.name as string
    if (name === 'Array') return { type: 'array', items: schemaOf(args[0]!, scope) }
    if (name === 'Emptyable') return either([schemaOf(args[0]!, scope), { const: '' }])
    if (name === 'Record') return { type: 'object', additionalProperties: schemaOf(args[1]!, scope) }
    if (name === 'Decimal') return { type: 'string', pattern: String.raw`^-?\d+(\.\d+)?$` }
    // The words that are known now: a stand-in says no others.
    if (name === 'OtherString') return { not: {} }
    if (name === 'ApiList' || name === 'ApiListPromise') return listOf(schemaOf(args[0]!, scope))
    if (name === 'Promise' || name === 'Response') return args[0] ? schemaOf(args[0], scope) : {}
    if (name === 'ApiSearchResultPromise') return {}
    const found = find(name, scope)
    if (!found) return {}
    const key = `${relative(sdkRoot, found.scope.file).replace(/\.d\.ts$/, '')}#${found.scope.name}${found.name}`
    if (!defs[key]) {
      defs[key] = {}
      Object.assign(defs[key], declared(found.node, found.scope))
    }
    return { $ref: `#/$defs/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` }
  }

  function spaceOf(ref: Node, scope: Scope): Scope | null {
    if (ref.type !== 'TSQualifiedName') return findSpace(ref.name, scope)
    const outer = spaceOf(ref.left, scope)
    return outer && findSpace(ref.right.name, outer)
  }

  function declared(node: Node, scope: Scope): Schema {
    if (node.type === 'TSTypeAliasDeclaration') return schemaOf(node.typeAnnotation, scope)
    if (node.type !== 'TSInterfaceDeclaration') return {}
    const own = members(node.body.body, scope)
    for (const { expression, typeArguments } of node.extends ?? []) {
      const base = target(named(expression, scope, typeArguments?.params ?? []))
      own.properties = { ...base.properties, ...own.properties }
      own.required = [...new Set([...(base.required ?? []), ...own.required])]
    }
    return own
  }

  function members(body: Node[], scope: Scope): Schema {
    const schema: Schema = { type: 'object', properties: {}, required: [], additionalProperties: false }
    for (const member of body) {
      if (member.type === 'TSIndexSignature') schema.additionalProperties = schemaOf(member.typeAnnotation.typeAnnotation, scope)
      if (member.type !== 'TSPropertySignature') continue
      const name = member.key.name ?? member.key.value
      schema.properties[name] = schemaOf(member.typeAnnotation.typeAnnotation, scope)
      if (!member.optional) schema.required.push(name)
    }
    return schema
  }

  function schemaOf(node: Node, scope: Scope): Schema {
    switch (node.type) {
      case 'TSStringKeyword':
        return { type: 'string' }
      case 'TSNumberKeyword':
        return { type: 'number' }
      case 'TSBooleanKeyword':
        return { type: 'boolean' }
      case 'TSNullKeyword':
        return { type: 'null' }
      case 'TSLiteralType':
        return { const: node.literal.value }
      case 'TSArrayType':
        return { type: 'array', items: schemaOf(node.elementType, scope) }
      case 'TSParenthesizedType':
        return schemaOf(node.typeAnnotation, scope)
      case 'TSTypeLiteral':
        return members(node.members, scope)
      case 'TSUnionType':
        return either(node.types.map((each: Node) => schemaOf(each, scope)))
      case 'TSIntersectionType':
        return { allOf: node.types.map((each: Node) => schemaOf(each, scope)) }
      case 'TSTypeReference':
        return named(node.typeName, scope, node.typeArguments?.params ?? [])
      default:
        return {}
    }
  }

  const target = (schema: Schema): Schema => (schema.$ref ? defs[nameOf(schema.$ref)]! : schema)

  /** A type by its file below `resources` and its name: `('Refunds', 'Refund')`. */
  function type(file: string, name: string): Schema {
    return named({ type: 'Identifier', name }, fileOf(join(sdkRoot, 'resources', `${file}.d.ts`)), [])
  }

  /** Every operation of the API: its method and path from the code, what it takes and answers from the types beside it. */
  function operations(): SdkOperation[] {
    return filesIn(join(sdkRoot, 'resources')).flatMap((path) => {
      const scope = fileOf(path.replace(/\.js$/, '.d.ts'))
      const classes = (parseAst(readFileSync(path, 'utf8')).body as Node[]).map((each) => each.declaration ?? each)
      return classes.flatMap((made) => {
        if (made.type !== 'ClassDeclaration') return []
        const types = (scope.own.get(made.id.name)?.body.body ?? []) as Node[]
        return (made.body.body as Node[]).flatMap((method) => {
          const signature = types.find((each) => each.key?.name === method.key?.name)
          const params = signature?.value?.params?.find((each: Node) => each.name === 'params')
          const answer = signature?.value?.returnType?.typeAnnotation
          return callsIn(method).map((call) => ({
            ...call,
            params: params ? schemaOf(params.typeAnnotation.typeAnnotation, scope) : null,
            reply: answer ? schemaOf(answer, scope) : null,
          }))
        })
      })
    })
  }

  return { defs, type, operations, target }
}

export const nameOf = (ref: string) => ref.slice('#/$defs/'.length).replaceAll('~1', '/').replaceAll('~0', '~')

export const listOf = (items: Schema): Schema => ({
  type: 'object',
  properties: {
    object: { const: 'list' },
    data: { type: 'array', items },
    has_more: { type: 'boolean' },
    url: { type: 'string' },
    total_count: { type: 'number' },
  },
  required: ['object', 'data', 'has_more', 'url'],
  additionalProperties: false,
})

function either(options: Schema[]): Schema {
  const flat = options.flatMap((each) => (each.anyOf ? each.anyOf : [each])).filter((each) => !('not' in each))
  const words = flat.filter((each) => 'const' in each).map((each) => each.const)
  const rest = flat.filter((each) => !('const' in each))
  const all = [...rest, ...(words.length === 1 ? [{ const: words[0] }] : words.length > 1 ? [{ enum: words }] : [])]
  return all.length === 1 ? all[0]! : { anyOf: all }
}

/** `this._makeRequest('POST', `/v1/refunds/${…}`)`, with `:id` for each part that is filled in. */
function callsIn(node: unknown): { method: string; path: string }[] {
  if (Array.isArray(node)) return node.flatMap(callsIn)
  if (typeof node !== 'object' || node === null) return []
  const call = node as Node
  if (call.type === 'CallExpression' && call.callee.property?.name === '_makeRequest') {
    const [method, path] = call.arguments as Node[]
    const text =
      path!.type === 'TemplateLiteral' ? path!.quasis.map((each: Node) => each.value.cooked).join(':id') : String(path!.value ?? '')
    return [{ method: method!.value, path: text }]
  }
  return Object.values(call).flatMap(callsIn)
}

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(dir, entry.name)) : entry.name.endsWith('.js') ? [join(dir, entry.name)] : [],
  )
