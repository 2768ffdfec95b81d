import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type BrotliOptions, brotliCompress, constants, gzip, type ZlibOptions } from 'node:zlib'
import { build, minifySync, transformWithOxc } from 'vite'
import { stylesFor } from './critical.ts'

const root = dirname(fileURLToPath(import.meta.url))
// Everything is made aside and put in place at the end: two builds at once, or a server that reads, never see half of it.
const dist = join(root, '.cache', `dist-${process.pid}`)
// Renders pages on the server: the build here, and in the gateway pages with rows of the marketplace. No address leads to it.
const server = join(dist, '.server')

type Prerender = typeof import('./src/prerender.tsx')
type Draw = typeof import('./src/drawPage.tsx')
type Manifest = Record<string, { file: string; isEntry?: boolean }>

/** Builds the app, draws the public pages, and writes everything the gateway serves into `web/dist`. */
export async function buildWeb({ log = console.log, out = join(root, 'dist') }: { log?: (line: string) => void; out?: string } = {}) {
  const started = performance.now()
  await build({ root, logLevel: 'warn', build: { outDir: dist, emptyOutDir: true } })
  await build({
    root,
    logLevel: 'warn',
    define: { 'import.meta.env.PRERENDER': 'true', 'process.env.NODE_ENV': '"production"' },
    // Whole in itself: the gateway has none of these packages.
    ssr: { noExternal: true },
    build: {
      ssr: true,
      rolldownOptions: { input: ['src/prerender.tsx', 'src/drawPage.tsx'].map((file) => join(root, file)) },
      outDir: server,
      emptyOutDir: true,
      manifest: false,
      copyPublicDir: false,
    },
  })
  const drawn = async <T>(file: string): Promise<T> => import(`${pathToFileURL(join(server, file)).href}?${Date.now()}`)
  const { renderPage, site } = await drawn<Prerender>('prerender.js')
  const { drawPage } = await drawn<Draw>('drawPage.js')

  const { pages, frames, product } = site

  // Seen where the scripts do not come, or are off: a page of the app would stay empty, and the buttons of the others would do nothing.
  const late =
    '<p class="late">This page has not loaded completely. <noscript>Its buttons need JavaScript. </noscript><a class="underline" href="">Reload it</a></p>'
  // Without what is for its readers: the comments of the inline script and the indents.
  const template = (await readFile(join(dist, 'index.html'), 'utf8'))
    .replaceAll(/^\s+(?:\/\/.*\n)?/gm, '')
    .replace('</body>', () => `${late}</body>`)
  const fonts = (await readdir(join(dist, 'assets'))).filter((name) => name.startsWith('instrument-sans-text'))
  // Under a name of its own as well, for the pages that services make.
  await copyFile(join(dist, 'assets', fonts[0]!), join(dist, 'text.woff2'))
  const preload = fonts.map((name) => `<link rel="preload" href="/assets/${name}" as="font" type="font/woff2" crossorigin />`).join('')
  // A drawing inside a page needs neither a namespace nor the name of its icon, which no style asks for: two hundred bytes of the one
  // round trip that the landing page is there in.
  const lean = (body: string) =>
    body.replaceAll(' xmlns="http://www.w3.org/2000/svg"', '').replaceAll(/(?<=class="lucide)(?: lucide-[\w-]+)+/g, '')
  const page = (head: string, body: string) => template.replace('<!--head-->', () => head + preload).replace('<!--app-->', () => lean(body))
  const sheet = stylesheet.exec(template)?.[1]
  if (!sheet) throw new Error('The built page names no stylesheet')
  const styles = (await readFile(join(dist, sheet), 'utf8')).trim()
  // A page that is read first brings the styles of what it shows along: they would cost another round trip before anything can be
  // painted. boot.ts fetches the whole sheet with the app.
  const painted = (head: string, body: string, shown = body) =>
    page(head, body).replace(
      stylesheet,
      () => `<style>${stylesFor(`${template}${shown}`, styles)}</style><meta name="styles" content="${sheet}" />`,
    )

  const templated: string[] = []
  async function put(file: string, text: string) {
    await mkdir(dirname(join(dist, file)), { recursive: true })
    await writeFile(join(dist, file), text)
    if (text.includes('__PUBLIC_URL__') || text.includes(product.name)) templated.push(file)
  }

  for (const meta of [...pages, ...frames]) {
    const html = painted(headOf(meta, product.name), await renderPage(meta.path))
    await put(meta.path === '/' ? 'index.html' : `${meta.path.slice(1)}/index.html`, html)
  }
  const samples = await Promise.all(site.samplePages.map(([address, data]) => drawPage(address, data)))
  const frame = painted('<!--head-->', '<!--app-->', samples.map((sample) => ('body' in sample ? sample.body : '')).join(''))
  // Everything of such a page works as it is: its picture comes before the script that waits for a person, which the page only names,
  // and before the text face, which boot.ts lets in. A browser that has the face wears it from the start.
  const [, standIns] = /--font-sans: ?"Instrument Sans",([^;}]+)/.exec(styles) ?? []
  if (!standIns) throw new Error('The styles name no faces to stand in for the text face')
  const worn = `<style>@media (scripting:enabled){html:not([data-font]){--font-sans:${standIns}}}</style>`
  const early = await transformWithOxc(await readFile(join(root, 'src/early.ts'), 'utf8'), 'early.ts')
  const script = /<script type="module"[^>]* src="([^"]+)"><\/script>/
  const named = (_: string, src: string) =>
    `<script>${minifySync('early.js', early.code).code.trim()}</script><meta name="script" content="${src}" />`
  if (!script.test(frame)) throw new Error('The built page has no first script')
  await put('.server/frame.html', frame.replace(preload, worn).replace(script, named))
  await put(
    '404.html',
    painted(`<title>Page not found · ${product.name}</title><meta name="robots" content="noindex" />`, await renderPage('/404')),
  )
  const needsScript = `<noscript><p class="p-5">${product.name} needs JavaScript for this page.</p></noscript>`
  await put(
    'app.html',
    page(`<title>${product.name}</title><meta name="robots" content="noindex" />`, '').replace('</body>', () => `${needsScript}</body>`),
  )
  await put('sitemap.xml', sitemap(pages.filter((meta) => meta.index !== false).map((meta) => meta.path)))
  await put(
    'robots.txt',
    'User-agent: *\nDisallow: /dashboard\nDisallow: /buyer-dashboard\nDisallow: /thank-you\nSitemap: __PUBLIC_URL__/sitemap.xml\nSitemap: __PUBLIC_URL__/functions/v1/storefront-sitemap\n',
  )
  // Addresses that the app draws by itself; every other unknown one is a 404.
  await put('routes.json', JSON.stringify(site.appRoutes))
  await writeFile(join(dist, 'og.png'), await ogImage(product.tagline))
  await writeFile(join(dist, 'apple-touch-icon.png'), await touchIcon())
  await writeFile(join(dist, 'templated.json'), JSON.stringify(templated.sort()))
  await compress(new Set(templated))
  const report = await sizes()
  await rm(out, { recursive: true, force: true })
  await rename(dist, out)
  log(`web: ${pages.length} pages in ${Math.round(performance.now() - started)} ms\n${report}`)
}

const stylesheet = /<link rel="stylesheet"[^>]* href="([^"]+)"[^>]*>/

type Meta = { path: string; title: string; description: string; index?: boolean }
function headOf(meta: Meta, name: string) {
  const text = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const varies = meta.path.includes(':')
  const canonical = meta.index === false && !meta.path.startsWith('/auth') && meta.path !== '/forgot-password' ? '/' : meta.path
  return [
    `<title>${text(meta.title)}</title>`,
    `<meta name="description" content="${text(meta.description)}" />`,
    varies
      ? ''
      : `<link rel="canonical" href="__PUBLIC_URL__${canonical}" /><meta property="og:url" content="__PUBLIC_URL__${canonical}" />`,
    meta.index === false ? '<meta name="robots" content="noindex, follow" />' : '',
    `<meta property="og:type" content="website" /><meta property="og:site_name" content="${text(name)}" />`,
    `<meta property="og:title" content="${text(meta.title)}" /><meta property="og:description" content="${text(meta.description)}" />`,
    `<meta property="og:image" content="__PUBLIC_URL__/og.png" />`,
    '<meta property="og:image:width" content="1200" /><meta property="og:image:height" content="630" /><meta name="twitter:card" content="summary_large_image" />',
  ].join('')
}

function sitemap(paths: string[]) {
  const urls = paths.map((path) => `<url><loc>__PUBLIC_URL__${path}</loc></url>`).join('')
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`
}

/** Without the name: one build serves every installation. */
async function ogImage(tagline: string) {
  const { Resvg } = await import('@resvg/resvg-js')
  const bars = [300, 120, 190].map(
    (width, index) =>
      `<rect x="${[236, 566, 716][index]}" y="404" width="${width}" height="64" rx="32" fill="#C6F24E" opacity="${1 - index * 0.28}"/>`,
  )
  const words = tagline.split(' ')
  const half = Math.ceil(words.length / 2)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><rect width="1200" height="630" fill="#0C0E12"/>
    <g font-family="Instrument Sans" fill="#E8EAED" font-size="68" font-weight="600" letter-spacing="-2"><text x="96" y="156">${words.slice(0, half).join(' ')}</text>
    <text x="96" y="236">${words.slice(half).join(' ')}</text></g>
    <path d="M120 436V316h104m-44-44 44 44-44 44M120 436h116M536 436h30M686 436h30M906 436h198" fill="none" stroke="#5A6372" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/>${bars.join('')}</svg>`
  const font = join(root, 'src', 'ui', 'fonts', 'InstrumentSans.ttf')
  return new Resvg(svg, { font: { fontFiles: [font], loadSystemFonts: false, defaultFontFamily: 'Instrument Sans' } }).render().asPng()
}

/** Where a phone looks for it when a page is put on the home screen; the phone rounds the corners itself. */
async function touchIcon() {
  const { Resvg } = await import('@resvg/resvg-js')
  const mark = await readFile(join(root, 'public', 'favicon.svg'), 'utf8')
  return new Resvg(mark.replace(' rx="7"', ''), { fitTo: { mode: 'width', value: 180 } }).render().asPng()
}

const compressible = new Set(['.html', '.js', '.css', '.svg', '.json', '.xml', '.txt'])

/** Files that the gateway fills in at serve time stay plain. */
async function compress(plain: Set<string>) {
  const br = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)
  const gz = promisify<Buffer, ZlibOptions, Buffer>(gzip)
  await Promise.all(
    (await filesIn(dist)).map(async (file) => {
      if (!compressible.has(extname(file)) || plain.has(relative(dist, file)) || file.includes('.vite') || file.startsWith(server)) return
      const bytes = await readFile(file)
      await writeFile(`${file}.br`, await br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
      await writeFile(`${file}.gz`, await gz(bytes, { level: 9 }))
    }),
  )
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** The largest scripts, as they travel. */
async function sizes() {
  const manifest: Manifest = JSON.parse(await readFile(join(dist, '.vite', 'manifest.json'), 'utf8'))
  const files = [...new Set(Object.values(manifest).map((chunk) => chunk.file))].filter(
    (file) => file.endsWith('.js') || file.endsWith('.css'),
  )
  const lines = await Promise.all(files.map(async (file) => ({ file, bytes: (await readFile(join(dist, `${file}.gz`))).length })))
  return lines
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 14)
    .map(({ file, bytes }) => `  ${(bytes / 1000).toFixed(1).padStart(6)} kB gz  ${file}`)
    .join('\n')
}

if (import.meta.main) {
  await buildWeb({ out: process.argv[2] })
}
