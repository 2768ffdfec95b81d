import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const api = process.env.OPERON_API ?? 'http://127.0.0.1:8080'
const served = [
  '/auth/v1',
  '/rest/v1',
  '/functions/v1',
  '/ai/v1',
  '/files/v1',
  '/sandbox',
  '/webhooks',
  '/docs',
  '/openapi.json',
  '/healthz',
  '/readyz',
  '/statusz',
]

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // soundswallower brings it for browsers without Blob.arrayBuffer, which none of ours is, and it needs a document: a worker has none.
  resolve: { alias: { 'blob-polyfill': new URL('src/features/voice/blob.ts', import.meta.url).pathname } },
  define: { 'import.meta.env.PRERENDER': 'false' },
  server: {
    host: '127.0.0.1',
    port: 9100,
    watch: { ignored: ['**/.cache/**', '**/dist/**'] },
    proxy: { ...Object.fromEntries(served.map((path) => [path, { target: api }])), '/live': { target: api, ws: true } },
  },
  build: {
    target: 'es2023',
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
  },
})
