import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export type Import = { from: string; line: number; specifier: string; typeOnly: boolean; late: boolean }
type Breach = { from: string; line: number; rule: string }

const packagePattern = /^@operon\/([a-z-]+)(?:\/(.*))?$/

/** Every import of the repository against the directions of the architecture. */
export function checkBoundaries(root: string): Breach[] {
  const imports = sourceFiles(root).flatMap((file) => importsOf(relative(root, file), readFileSync(file, 'utf8')))
  return [...imports.flatMap((found) => breaches(root, found)), ...circles(imports)]
}

/** Files that load each other: which of them runs first depends on the caller. Type imports and imports inside a call do not count. */
export function circles(imports: Import[]): Breach[] {
  const loads = new Map<string, Import[]>()
  for (const found of imports) if (!found.typeOnly && !found.late) loads.set(found.from, [...(loads.get(found.from) ?? []), found])
  const done = new Set<string>()
  const found: Breach[] = []
  const visit = (file: string, way: string[]) => {
    if (done.has(file)) return
    for (const { line, specifier } of loads.get(file) ?? []) {
      const to = fileOf(file, specifier)
      if (!to) continue
      const at = [...way, file].indexOf(to)
      if (at >= 0) found.push({ from: file, line, rule: `a circle: ${[...way.slice(at), file, to].join(' -> ')}` })
      else visit(to, [...way, file])
    }
    done.add(file)
  }
  for (const file of loads.keys()) visit(file, [])
  return found
}

/** The file of ours that an import names, from the root. */
export function fileOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return join(dirname(from), specifier.split('?')[0]!)
  const [, name, path] = packagePattern.exec(specifier) ?? []
  if (!name || !path) return null
  const group = ['contracts', 'kit'].includes(name) ? 'libs/' : ['gateway', 'web', 'deploy', 'proof'].includes(name) ? '' : 'services/'
  return `${group}${name}/src/${path}.ts`
}

export function importsOf(from: string, text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
  const pattern =
    /^[ \t]*(?:import|export)(?<type>\s+type\b)?(?<names>[^'"`;]*?\bfrom)?\s*['"](?<static>[^'"\n]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"\n]+)['"]/gm
  return [...code.matchAll(pattern)].map((match) => {
    const { type, names, static: plain, dynamic } = match.groups!
    const braces = /^\s*\{([^}]*)\}\s*from$/.exec(names ?? '')
    const everyNameIsType = braces !== null && braces[1]!.split(',').every((name) => !name.trim() || name.trim().startsWith('type '))
    const lead = /^\s*/.exec(match[0])![0]
    const line = code.slice(0, match.index + lead.length).split('\n').length
    return {
      from,
      line,
      specifier: (plain ?? dynamic)!,
      late: dynamic !== undefined,
      typeOnly: Boolean(type) || everyNameIsType || isTypePosition(code, match.index, dynamic),
    }
  })
}

/** The rules, one line each, in the order of the architecture's page. */
export function breaches(root: string, { from, line, specifier, typeOnly }: Import): Breach[] {
  const broken: string[] = []
  const relativePath = specifier.startsWith('.')
  const target = relativePath ? relative(root, resolve(root, dirname(from), specifier)) : specifier
  const [home, to] = [ownerOf(from), relativePath ? ownerOf(target) : (packagePattern.exec(specifier)?.[1] ?? null)]
  // Fixtures bring the stand-ins that tests talk to, and never run in the product.
  const test = /\.(test|e2e|suite)\.tsx?$|\/testing\/|\/fixtures?\b/.test(from)
  const bare = specifier.split('?')[0]!

  // A file that is asked for by its address may be of any kind.
  if (relativePath && !specifier.endsWith('?url') && !/\.(tsx?|css|json|mjs|svg|txt)$/.test(bare))
    broken.push(`a relative import ends in .ts: ${specifier}`)
  if (relativePath && to !== home) broken.push(`another package is imported by its name, not by a path: ${specifier}`)
  if (home === 'contracts' && !relativePath && specifier !== 'zod' && !test) broken.push(`contracts import zod alone: ${specifier}`)
  if (home === 'kit' && to && to !== 'kit' && to !== 'contracts') broken.push(`the kit knows no service: ${specifier}`)
  // A test may bring the stand-in that it talks to.
  if (isService(root, home) && to && to !== home && !['kit', 'contracts'].includes(to) && !(test && to === 'sandbox'))
    broken.push(`a service imports the kit and contracts only: ${specifier}`)
  if (home === 'gateway' && to && !['gateway', 'kit', 'contracts'].includes(to))
    broken.push(`the gateway imports the kit and contracts only: ${specifier}`)
  if (home === 'web' && to && to !== 'web' && to !== 'contracts') broken.push(`the web app imports contracts only: ${specifier}`)
  if (home === 'web' && to === 'contracts' && !typeOnly && !test && bringsZod(root, specifier))
    broken.push(`the web app takes run-time values only from contracts without zod: ${specifier}`)
  broken.push(...webBreaches(from, target, specifier, test))
  return broken.map((rule) => ({ from, line, rule }))
}

function webBreaches(from: string, target: string, specifier: string, test: boolean): string[] {
  const layer = /^web\/src\/(ui|chat|shell|features)\/(?:([^/]+)\/)?/
  const [[own, feature], [other, otherFeature]] = [layersOf(layer, from), layersOf(layer, target)]
  if (test || !own || !other) return []
  if (own === 'features' && other === 'features' && feature !== otherFeature) return [`a feature never imports another: ${specifier}`]
  if (own === 'ui' && other !== 'ui') return [`ui knows no feature, no conversation and no shell: ${specifier}`]
  if (own === 'chat' && (other === 'features' || other === 'shell')) return [`a conversation knows no feature and no shell: ${specifier}`]
  return []
}

const layersOf = (layer: RegExp, path: string) => layer.exec(path)?.slice(1) ?? []

/** `import('…')` inside a type, as in `typeof import('…')` or `x: import('…').T`, is erased. */
function isTypePosition(code: string, index: number, dynamic: string | undefined): boolean {
  return (
    dynamic !== undefined &&
    /(?:typeof|[:<|&=]\s*)\s*$/.test(code.slice(Math.max(0, index - 20), index)) &&
    !/(?:=|=>)\s*$/.test(code.slice(0, index))
  )
}

function bringsZod(root: string, specifier: string): boolean {
  const file = join(root, 'libs/contracts/src', `${packagePattern.exec(specifier)?.[2]}.ts`)
  return existsSync(file) && reachesZod(file, new Set())
}

function reachesZod(file: string, seen: Set<string>): boolean {
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  return importsOf(file, readFileSync(file, 'utf8'))
    .filter((found) => !found.typeOnly)
    .some(({ specifier }) => specifier === 'zod' || (specifier.startsWith('.') && reachesZod(resolve(dirname(file), specifier), seen)))
}

/** The package that a path belongs to, by the name that others import it by. */
function ownerOf(path: string): string | null {
  const [group, name] = path.split('/')
  if (group === 'libs' || group === 'services') return name ?? null
  return ['gateway', 'web', 'deploy', 'proof'].includes(group ?? '') ? group! : null
}

const isService = (root: string, name: string | null) => name !== null && existsSync(join(root, 'services', name))

function sourceFiles(root: string): string[] {
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return ['node_modules', 'dist', '.cache'].includes(entry.name) ? [] : walk(path)
      return /\.tsx?$/.test(entry.name) ? [path] : []
    })
  return ['libs', 'services', 'gateway', 'deploy', 'proof', 'web'].flatMap((folder) => walk(join(root, folder)))
}
