import { readFileSync } from 'node:fs'
import { type Route, route } from './wire.ts'

const asset = (name: string, type: string): Route =>
  route('GET', `/sandbox/assets/${name}`, () => ({
    headers: { 'content-type': type, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' },
    body: readFileSync(new URL(`../assets/${name}`, import.meta.url)),
  }))

export const assetRoutes: Route[] = [asset('sandbox.css', 'text/css; charset=utf-8'), asset('sandbox.js', 'text/javascript; charset=utf-8')]
