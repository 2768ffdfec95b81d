import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'

/** The least that a page with this picture can be, on a server of its own: how near a drawn page comes to what this machine can do at all. */
export async function openBarePage(page: string, platform: string): Promise<{ address: string; close: () => Promise<void> }> {
  const [preload] = /<link rel="preload" as="image"[^>]*>/.exec(page) ?? []
  const [picture] = /<picture.*?<\/picture>/s.exec(page) ?? []
  if (!preload || !picture) throw new Error('The drawn page has no picture')
  const bare = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width, initial-scale=1"><title>Bare</title>${preload}</head><body style="background:#0c0e12;color:#fff"><h1>Bare</h1>${picture.replace(' class="w-full', ' style="width:100%;aspect-ratio:8/5" class="w-full')}</body></html>`
  const server = createServer(async (request, response) => {
    if (request.url === '/') return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(bare)
    const answer = await fetch(platform + request.url, { headers: { accept: request.headers.accept ?? '*/*' } })
    const type = answer.headers.get('content-type') ?? 'application/octet-stream'
    response.writeHead(answer.status, { 'content-type': type }).end(new Uint8Array(await answer.arrayBuffer()))
  })
  await promisify<number, string>(server.listen.bind(server))(0, '127.0.0.1')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections()
      await promisify(server.close.bind(server))()
    },
  }
}
