import { readFileSync } from 'node:fs'
import { type Route, route } from './wire.ts'

const own = (name: string) => new URL(`../assets/${name}`, import.meta.url)
const font = (name: string) => new URL(import.meta.resolve(`@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`))

const asset = (name: string, type: string, file = own(name), cache = 'no-cache'): Route =>
  route('GET', `/sandbox/assets/${name}`, () => ({
    headers: { 'content-type': type, 'cache-control': cache, 'x-content-type-options': 'nosniff' },
    body: readFileSync(file),
  }))

export const assetRoutes: Route[] = [
  asset('sandbox.css', 'text/css; charset=utf-8'),
  asset('theme.js', 'text/javascript; charset=utf-8'),
  asset('sandbox.js', 'text/javascript; charset=utf-8'),
  ...['instrument-sans', 'geist-mono'].map((name) => asset(`${name}.woff2`, 'font/woff2', font(name), 'public, max-age=86400')),
]
