import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testGateway } from './testing/start.ts'

const dist = mkdtempSync(join(tmpdir(), 'web-'))
const asked: string[] = []
async function pageAt(path: string, query: URLSearchParams) {
  const slug = path.split('/')[2] ?? 'all'
  asked.push(`${slug} ${query}`)
  if (slug.startsWith('away')) throw new Error('nobody answers')
  return slug
}
// Stands in for the web app's build: a module that renders, and the frame it renders into.
const draw = `export const drawPage = async (address, page) =>
  page.startsWith('moved')
    ? { status: 301, path: '/marketplace/now' }
    : { status: page.startsWith('nobody') ? 404 : 200, head: '<title>' + page + ' $& __PRODUCT_NAME__</title>', body: '<h1>' + address + '</h1>',
        after: '<script type="application/json">$\\'{}</script>' }`
let gateway: Awaited<ReturnType<typeof testGateway>>
beforeAll(async () => {
  const files: Record<string, string> = {
    'index.html': '<h1>Landing</h1>',
    'get-started/index.html': '<h1>Get started</h1>',
    'app.html': '<head></head><script>theme()</script><h1>App</h1>',
    'named/index.html': '<title>__PRODUCT_NAME__</title>__CONTACT_EMAIL__ __SECURITY_EMAIL__',
    'marketplace/index.html': '<h1>Storefront</h1>',
    'marketplace/:userSlug/index.html': '<h1>Storefront</h1>',
    '.server/drawPage.js': draw,
    '.server/frame.html': '<head><!--head--></head><body><!--app--></body>',
    'figures/index.html':
      '<meta content="__FIGURES__"><p>__FIGURE:users:10K+__</p><p>__FIGURE:revenue:$2M+__</p><p>__FIGURE:response:&lt; 2s__</p>',
    'routes.json':
      '["/dashboard", "/dashboard/image-studio", "/auth/:userType", "/pricing", "/marketplace", "/marketplace/:userSlug", "/shared/image/:token"]',
    '404.html': '<h1>Not here</h1>',
    'assets/main-1.js': 'console.log(1)'.repeat(50),
    'assets/wake.worker-1_a.js': 'run()',
    'assets/means-1': 'model',
    'sitemap.xml': '<loc>__PUBLIC_URL__/</loc>',
    'large/index.html': `<p>${Array.from({ length: 3000 }, (_, at) => (at * at * 7919) % 9973).join(' ')}</p>`,
    'templated.json': '["sitemap.xml","named/index.html","large/index.html","figures/index.html"]',
    '.stamp': 'secret',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dist, name)), { recursive: true })
    writeFileSync(join(dist, name), text)
  }
  writeFileSync(join(dist, 'assets/main-1.js.br'), brotliCompressSync(files['assets/main-1.js']!))
  writeFileSync(join(dist, 'assets/main-1.js.gz'), gzipSync(files['assets/main-1.js']!))
  gateway = await testGateway({
    webDist: dist,
    pages: pageAt,
    shared: async (token) => {
      if (token === 'away') throw new Error('nobody answers')
      return token === 'open' ? { url: 'https://shop.example/files/v1/media/~shared/open?a=1&b=2', width: 1024, height: 768 } : null
    },
    counters: { users: async () => '<3', revenue: () => Promise.reject(new Error('nobody answers')) },
    env: {
      LIVE_FIGURES: 'users,revenue',
      PUBLIC_URL: 'https://shop.example',
      PRODUCT_NAME: 'Hill & $& Co',
      SECURITY_EMAIL: 'safe@hill.example',
    },
  })
})
afterAll(async () => {
  await gateway.close()
  rmSync(dist, { recursive: true })
})

const get = (path: string, init?: RequestInit) => fetch(`${gateway.url}${path}`, init)

test('pages that were drawn beforehand, pages of the app, and a real 404', async () => {
  const seen = async (path: string) => {
    const response = await get(path)
    return [response.status, (await response.text()).replace(/<head><\/head>|<script>.*<\/script>|<title>.*<\/title>|<.?h1>/g, '')]
  }
  expect(await seen('/')).toEqual([200, 'Landing'])
  expect(await seen('/get-started')).toEqual([200, 'Get started'])
  expect(await seen('/get-started/?ref=1')).toEqual([200, 'Get started'])
  for (const path of ['/dashboard', '/dashboard/image-studio', '/auth/seller', '/pricing']) expect(await seen(path)).toEqual([200, 'App'])
  for (const path of ['/nothing', '/marketplace/mara/else', '/assets/old.js', '/.stamp', '/templated.json', '/wp-login.php'])
    expect(await seen(path)).toEqual([404, 'Not here'])
})

test('a page with rows is drawn with them, 404 for nobody, 301 where it moved, and empty when nobody can be asked [spec-102]', async () => {
  const seen = async (address: string, init?: RequestInit) => {
    const response = await get(`/marketplace${address}`, { redirect: 'manual', ...init })
    return [response.status, response.headers.get('location') ?? (await response.text())]
  }
  const page = (slug: string, address: string) =>
    `<head><title>${slug} $& Hill &amp; $&amp; Co</title></head><body><h1>/marketplace${address}</h1><script type="application/json">$'{}</script></body>`
  asked.length = 0
  const [ann, nobody, away] = ['ann', 'nobody', 'away'].map((slug) => `${slug}-${randomUUID()}`) as [string, string, string]
  expect(await seen(`/${ann}`)).toEqual([200, page(ann, `/${ann}`)])
  expect(await seen(`/${nobody}`)).toEqual([404, page(nobody, `/${nobody}`)])
  expect(await seen('/moved')).toEqual([301, '/marketplace/now'])
  expect(await seen(`/${away}`)).toEqual([200, '<h1>Storefront</h1>'])
  expect(await seen('')).toEqual([200, page('all', '')])
  // Not asked again for each reader, whatever else stands in the address, but for each search.
  expect(await seen(`/${ann}?utm=1`, { headers: { 'accept-encoding': 'br' } })).toEqual([200, page(ann, `/${ann}`)])
  expect(await seen(`/${ann}?category=B&q=a%20b`)).toEqual([200, page(ann, `/${ann}?q=a+b&category=B`)])
  expect(await seen(`/${ann}?utm=1&q=a+b&category=B`)).toEqual([200, page(ann, `/${ann}?q=a+b&category=B`)])
  expect(asked).toEqual([`${ann} `, `${nobody} `, 'moved ', `${away} `, 'all ', `${ann} q=a+b&category=B`])
  expect((await get(`/marketplace/${ann}`, { method: 'HEAD' })).status).toBe(200)
  for (const path of ['/.server/drawPage.js', '/.server/frame.html']) expect((await get(path)).status).toBe(404)
})

test('a shared picture has a preview in its page, a revoked link is a 404, and the app asks by itself when media is away [spec-84]', async () => {
  const seen = async (token: string) => {
    const response = await get(`/shared/image/${token}`)
    return [response.status, await response.text()] as const
  }
  const [status, page] = await seen('open')
  expect(status).toBe(200)
  expect(page).toContain('<meta property="og:image" content="https://shop.example/files/v1/media/~shared/open?a=1&amp;b=2" />')
  expect(page).toContain('<meta property="og:image:width" content="1024" />')
  expect(page).toContain('Hill &amp; $&amp; Co')
  expect(page).toContain('noindex')
  expect((await seen('revoked'))[0]).toBe(404)
  expect((await seen('x'.repeat(101)))[0]).toBe(404)
  expect((await seen('away'))[0]).toBe(200)
})

test('assets come compressed as the browser takes them, for ever, and are not sent twice', async () => {
  const br = await get('/assets/main-1.js', { headers: { 'accept-encoding': 'gzip, br' } })
  expect(br.headers.get('content-encoding')).toBe('br')
  expect(br.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(br.headers.get('content-type')).toMatch('text/javascript')
  expect(await br.text()).toBe('console.log(1)'.repeat(50))
  expect((await get('/assets/main-1.js', { headers: { 'accept-encoding': 'br;q=0, gzip' } })).headers.get('content-encoding')).toBe('gzip')
  expect((await get('/assets/main-1.js', { headers: { 'accept-encoding': 'identity' } })).headers.get('content-encoding')).toBeNull()
  const again = await get('/assets/main-1.js', { headers: { 'if-none-match': br.headers.get('etag')! } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const head = await get('/get-started', { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '20', ''])
  expect((await get('/', { method: 'POST' })).status).toBe(405)
})

test('a part of a file is sent to who asks for one and has the rest of the same bytes', async () => {
  const text = 'console.log(1)'.repeat(50)
  const part = async (headers: Record<string, string>, init: RequestInit = {}) => {
    const response = await get('/assets/main-1.js', { ...init, headers: { 'accept-encoding': 'identity', ...headers } })
    return { status: response.status, range: response.headers.get('content-range'), text: await response.text(), headers: response.headers }
  }
  const whole = { status: 200, range: null, text }
  const first = await part({ range: 'bytes=0-6' })
  expect(first).toMatchObject({ status: 206, range: `bytes 0-6/${text.length}`, text: 'console' })
  expect(first.headers.get('content-length')).toBe('7')
  expect(await part({ range: `bytes=690-` })).toMatchObject({ status: 206, range: `bytes 690-699/700`, text: text.slice(690) })
  expect(await part({ range: 'bytes=-3' })).toMatchObject({ status: 206, range: 'bytes 697-699/700', text: '(1)' })
  expect(await part({ range: 'bytes=695-9999' })).toMatchObject({ status: 206, range: 'bytes 695-699/700' })
  expect(await part({ range: 'bytes=-9999' })).toMatchObject({ status: 206, range: 'bytes 0-699/700', text })
  for (const range of ['bytes=700-', 'bytes=-0'])
    expect(await part({ range })).toMatchObject({ status: 416, range: 'bytes */700', text: '' })
  for (const range of ['bytes=5-4', 'bytes=0-1,3-4', 'bytes=-', 'lines=0-1', 'bytes=a-b'])
    expect(await part({ range })).toMatchObject(whole)

  const etag = first.headers.get('etag')!
  expect(await part({ range: 'bytes=0-6', 'if-range': etag })).toMatchObject({ status: 206 })
  for (const other of ['"else"', `W/${etag}`, 'Sat, 21 Nov 2026 00:00:00 GMT'])
    expect(await part({ range: 'bytes=0-6', 'if-range': other })).toMatchObject(whole)
  // Compressed, the same file is other bytes.
  expect(await part({ range: 'bytes=0-6', 'if-range': etag, 'accept-encoding': 'br' })).toMatchObject(whole)
  expect((await part({ range: 'bytes=0-6', 'if-none-match': etag })).status).toBe(304)
  expect(await part({ range: 'bytes=0-6' }, { method: 'HEAD' })).toMatchObject({ status: 200, range: null })
  expect((await get('/nothing', { headers: { range: 'bytes=0-1' } })).status).toBe(404)
})

test('files that name this installation are completed when they are served', async () => {
  expect(await (await get('/sitemap.xml')).text()).toBe('<loc>https://shop.example/</loc>')
  expect(await (await get('/named')).text()).toBe('<title>Hill &amp; $&amp; Co</title>hello@shop.example safe@hill.example')
})

test('a completed page is as small as it gets from the second visit on', async () => {
  const fresh = await testGateway({ webDist: dist })
  const size = async () =>
    Number((await fetch(`${fresh.url}/large`, { headers: { 'accept-encoding': 'br' } })).headers.get('content-length'))
  const first = await size()
  await expect.poll(size).toBeLessThan(first)
  await fresh.close()
})

test('pages carry the strict policy, which names the one inline script', async () => {
  const { headers } = await get('/')
  const policy = headers.get('content-security-policy')!
  for (const part of [
    `script-src 'self' 'sha256-${createHash('sha256').update('theme()').digest('base64')}'`,
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self' https://checkout.stripe.com",
    "connect-src 'self' wss://shop.example",
  ])
    expect(policy.split('; ')).toContain(part)
  expect(headers.get('strict-transport-security')).toMatch(/max-age=31536000/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('permissions-policy')).toContain('microphone=(self)')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups')
  expect(policy).not.toContain('wasm')
  const inWorker = (await get('/assets/wake.worker-1_a.js')).headers.get('content-security-policy')
  expect(inWorker).toBe(policy.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"))
  expect((await get('/assets/main-1.js')).headers.get('content-security-policy')).toBe(policy)
  const model = await get('/assets/means-1')
  expect([model.status, model.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
  const returning = (await get('/connect/slack')).headers
  expect([returning.get('content-security-policy'), returning.get('cross-origin-opener-policy')]).toEqual([policy, null])
})

test('without a build a plain page says so', async () => {
  const bare = await testGateway({ webDist: join(dist, 'nothing') })
  const response = await fetch(bare.url)
  expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('has not been built')])
  await bare.close()
})

test('figures that the operator wants counted stand in the place of the claims; until they are known nothing is claimed [spec-5]', async () => {
  const page = async () => (await get('/figures')).text()
  const rest = '<p>–</p><p>&lt; 2s</p>'
  await expect.poll(page).toBe(`<meta content="users=&lt;3;revenue=–"><p>&lt;3</p>${rest}`)
})

test('a figure that nothing counts cannot be asked for', async () => {
  await expect(testGateway({ env: { LIVE_FIGURES: 'uptime' } })).rejects.toThrow('LIVE_FIGURES')
})
