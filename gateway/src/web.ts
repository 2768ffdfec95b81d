import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Logger } from '@operon/kit/telemetry'
import { lookup } from 'mrmime'
import { type Asset, asset, compressed, sendAsset, squeeze } from './assets.ts'
import { type Call, send } from './call.ts'
import type { Figures } from './figures.ts'
import { type Drawing, escaped, type Found, type PageAt, serverPages } from './frames.ts'
import type { Fixed } from './headers.ts'
import { type SharedAt, sharedPages } from './shared.ts'

// Pages that only a browser renders: all of them are one document, and the app finds the page by its address.
const appRoutes = [
  '/auth',
  '/auth/*',
  '/pricing',
  '/dashboard',
  '/dashboard/*',
  '/buyer-dashboard',
  '/buyer-dashboard/*',
  '/marketplace',
  '/marketplace/*',
  '/forgot-password',
  '/reset-password',
  '/lost-second-factor',
  '/checkout/*',
  '/book/*',
  '/forms/*',
  '/share/*',
  '/settings',
  '/settings/*',
]

/** The built web app, whole in memory: it is a few megabytes and never changes while this process runs. */
export function serveWeb(
  dist: string,
  options: Names & {
    headers: { page: Fixed; returning: Fixed; worker: Fixed }
    pages?: PageAt | undefined
    drawing?: Drawing | undefined
    shared?: SharedAt | undefined
    log: Logger
  },
): (call: Call) => void {
  const { assets, templates } = readBuild(dist)
  const appRouteOf = routeMatcher(readRoutes(dist))

  function fill(path: string, text: string) {
    assets.set(path, filledIn(text, path, options))
  }
  for (const [path, text] of templates) fill(path, text)
  options.figures?.watch(async () => {
    for (const [path, text] of templates) {
      // One page a turn: to make them all anew at once would hold up every call.
      await setImmediate()
      fill(path, text)
    }
  })

  const { pages: pageAt, drawing, log } = options
  const drawn =
    pageAt &&
    drawing &&
    serverPages(drawing, {
      pageAt,
      filled: (text) => filledIn(text, '/page.html', options),
      failed: (error, path) => log.warn({ err: error, path }, 'a page was sent without its rows; the browser loads them itself'),
    })

  const shared =
    options.shared &&
    sharedPages(options.shared, {
      productName: options.productName,
      failed: (error, path) => log.warn({ err: error, path }, 'a shared picture was not looked up; the browser loads it itself'),
    })

  function find({ path, query }: Call): Found | Promise<Found> | null {
    const route = appRouteOf(path)
    // The frame of a page with rows is a file of the route's own name.
    const frame = route?.startsWith('/marketplace') && assets.get(`${route}/index.html`)
    if (frame) return drawn?.(path, query, frame) ?? { asset: frame, status: 200 }
    const page = assets.get(path) ?? assets.get(`${path}.html`) ?? assets.get(`${path === '/' ? '' : path}/index.html`)
    if (page) return { asset: page, status: 200 }
    const app = route && (assets.get('/app.html') ?? assets.get('/index.html'))
    if (app) return shared?.(path, app) ?? { asset: app, status: 200 }
    const missing = assets.get('/404.html')
    return missing ? { asset: missing, status: 404 } : null
  }

  function answer(call: Call, found: Found) {
    if ('to' in found) return send(call, 301, '', ['location', found.to, 'cache-control', 'public, max-age=3600'])
    const { asset, status } = found
    sendAsset(call, asset, status)
    squeeze(asset)
  }

  return (call) => {
    const { method } = call.request
    const { page, returning, worker } = options.headers
    call.fixed = call.path.startsWith('/connect/') ? returning : /^\/assets\/[\w.-]+\.worker-[\w-]+\.js$/.test(call.path) ? worker : page
    if (method !== 'GET' && method !== 'HEAD') return send(call, 405, '', ['allow', 'GET, HEAD'])
    const found = find(call)
    if (!found)
      return send(call, assets.size ? 404 : 503, assets.size ? 'Not found' : notBuilt, [
        'content-type',
        'text/html; charset=utf-8',
        'cache-control',
        'no-store',
      ])
    if (!(found instanceof Promise)) return answer(call, found)
    void found.then((page) => call.response.destroyed || answer(call, page))
  }
}

const notBuilt =
  '<!doctype html><title>Not built</title><p>The web app has not been built. The API is at work: see <a href="/docs">/docs</a>.'

export type Contacts = Record<'CONTACT_EMAIL' | 'SUPPORT_EMAIL' | 'SECURITY_EMAIL', string>
type Names = { publicUrl: string; productName: string; contacts?: Contacts; figures?: Figures }

/** The built files, and the texts filled in at run time. */
function readBuild(dist: string) {
  const assets = new Map<string, Asset>()
  const templates = new Map<string, string>()
  if (!existsSync(dist)) return { assets, templates }
  const templated = new Set(readJson<string[]>(join(dist, 'templated.json'), []).map((name) => `/${name.replace(/^\//, '')}`))
  for (const entry of readdirSync(dist, { withFileTypes: true, recursive: true })) {
    const path = `/${relative(dist, join(entry.parentPath, entry.name)).replaceAll('\\', '/')}`
    if (
      !entry.isFile() ||
      /\.(br|gz)$/.test(path) ||
      path.split('/').some((part) => part.startsWith('.') && part !== '.well-known') ||
      unserved.has(path)
    )
      continue
    if (templated.has(path)) templates.set(path, readFileSync(join(dist, path), 'utf8'))
    else assets.set(path, asBuilt(join(dist, path), path))
  }
  return { assets, templates }
}
const unserved = new Set(['/templated.json', '/routes.json'])

function asBuilt(file: string, path: string): Asset {
  const encoded: Asset['encoded'] = {}
  if (existsSync(`${file}.br`)) encoded.br = readFileSync(`${file}.br`)
  if (existsSync(`${file}.gz`)) encoded.gzip = readFileSync(`${file}.gz`)
  return asset(readFileSync(file), typeOf(path), cacheOf(path), encoded)
}

/** Files that name this installation and its address: completed here, so that one build serves anywhere under any name. */
function filledIn(template: string, path: string, { publicUrl, productName, contacts = {} as Contacts, figures }: Names): Asset {
  const counted = figures?.counted ?? new Map<string, string>()
  const named = { PRODUCT_NAME: productName, FIGURES: [...counted].map((pair) => pair.join('=')).join(';'), ...contacts }
  const text = Object.entries(named)
    .reduce((all, [mark, value]) => all.replaceAll(`__${mark}__`, () => escaped(value)), template.replaceAll('__PUBLIC_URL__', publicUrl))
    .replaceAll(/__FIGURE:(\w+):(.*?)__/g, (_, name: string, claim: string) => (counted.has(name) ? escaped(counted.get(name)!) : claim))
  const body = Buffer.from(text)
  return { ...asset(body, typeOf(path), cacheOf(path), compressed(body)), hasty: true }
}

/** The inline scripts of the built pages (the theme before the first paint, the first signs of a person), as the content security policy names them. */
export function inlineScriptHashes(dist: string | undefined): string[] {
  const pages = ['app.html', '.server/frame.html'].map((page) => join(dist ?? '', page)).filter((page) => dist && existsSync(page))
  const scripts = pages.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text!))
  return [...new Set(scripts)].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
}

function typeOf(path: string): string {
  const type = lookup(path) ?? 'application/octet-stream'
  const isText = /^(text\/|application\/(javascript|json|xml|manifest))|\+xml|\+json/.test(type) && !type.includes('charset')
  return isText ? `${type}; charset=utf-8` : type
}

const cacheOf = (path: string) => (path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')

/** The build may say which addresses the app renders itself; `/dashboard/*` stands for all below. */
function readRoutes(dist: string): string[] {
  const said = readJson<string[] | { app?: string[] }>(join(dist, 'routes.json'), appRoutes)
  return Array.isArray(said) ? said : (said.app ?? appRoutes)
}

function routeMatcher(routes: string[]) {
  const exact = new Set(routes.filter((route) => !/[:*]/.test(route)))
  const patterns = routes
    .filter((route) => /[:*]/.test(route))
    .map((route) => ({ route, pattern: new RegExp(`^${route.split('/').map(segmentPattern).join('/')}$`) }))
  return (path: string) => (exact.has(path) ? path : patterns.find(({ pattern }) => pattern.test(path))?.route)
}
const segmentPattern = (segment: string) =>
  segment === '*'
    ? '.+'
    : segment.startsWith(':')
      ? '[^/]+'
      : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, (special) => (special === '*' ? '.*' : `\\${special}`))

function readJson<T>(file: string, fallback: T): T {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : fallback
}
