import type { Attack } from './world.ts'

const SCRIPT = '<script>document.title="ran"</script>'
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='ran'"><script>document.title='ran'</script></svg>`
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==', 'base64')

// S13: files of strangers, by the signed links that services hand out: nothing outside what was signed is taken, and nothing that was taken runs
// in the app's origin. What is unpacked, the pictures of products, is attacked in orders.ts.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const storage = await world.platform.storage('marketplace')
  const local = (url: string) => world.url + new URL(url).pathname + new URL(url).search
  const send = (url: string, type: string, body: Uint8Array | string | ReadableStream, method = 'PUT') =>
    fetch(url, { method, headers: { 'content-type': type }, body, duplex: 'half', signal: AbortSignal.timeout(20_000) } as RequestInit)
  const folder = `uploads/${Math.floor(world.random() * 1e9)}`
  const link = (name: string, contentType?: string, maxBytes = 4096) =>
    local(storage.signedUrl(`${folder}/${name}`, { method: 'PUT', expiresInS: 60, maxBytes, ...(contentType && { contentType }) }))
  const refused = async (what: string, answer: Promise<Response>, key: string) => {
    tried++
    const { status } = await answer.catch((error: Error) => ({ status: `no answer (${error.message})` }))
    if (typeof status === 'number' && (status < 400 || status >= 500)) findings.push(`${what}: ${status}`)
    if (await storage.head(`${folder}/${key}`)) findings.push(`${what}: the file was kept`)
  }

  // A signed link, changed afterwards.
  const big = 'x'.repeat(5000)
  const stream = () => new Blob([big]).stream()
  await refused('another type', send(link('a', 'image/png'), 'text/html', SCRIPT), 'a')
  await refused('no type', send(link('a', 'image/png'), '', SCRIPT), 'a')
  await refused('too large', send(link('a', 'image/png'), 'image/png', big), 'a')
  await refused('too large, of no declared length', send(link('a', 'image/png'), 'image/png', stream()), 'a')
  const signed = new URL(link('a', 'image/png'))
  for (const [name, value] of [
    ['max', '999999'],
    ['type', 'text/html'],
    ['expires', '9999999999'],
    ['name', 'x.html'],
    ['sig', ''],
  ] as const) {
    const changed = new URL(signed)
    changed.searchParams.set(name, value)
    await refused(`${name} changed`, send(changed.href, value === 'text/html' ? value : 'image/png', PNG), 'a')
    if (!signed.searchParams.has(name)) continue
    changed.searchParams.delete(name)
    await refused(`${name} left out`, send(changed.href, 'image/png', PNG), 'a')
  }
  for (const path of ['/a/../b', '/%2e%2e/b', '/..%2fb', '//b', '/b%00.png']) {
    const moved = signed.href.replace('/a?', `${path}?`)
    await refused(`another key ${path}`, send(moved, 'image/png', PNG), 'b')
  }
  const reading = local(storage.signedUrl(`${folder}/a`, { expiresInS: 60 }))
  await refused('a link to read, written to', send(reading, 'image/png', PNG), 'a')
  const other = link('a', 'image/png').replace('/files/v1/marketplace/', '/files/v1/identity/')
  await refused("another service's folder", send(other, 'image/png', PNG), 'a')

  // An upload that was taken, opened: neither type nor content makes it a page of ours.
  for (const [name, type, body] of [
    ['page.html', 'text/html', SCRIPT],
    ['page.xhtml', 'application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml"><body>${SCRIPT}</body></html>`],
    ['image.svg', 'image/svg+xml', svg],
    ['odd.svg', 'IMAGE/SVG+XML; charset=utf-8', svg],
    ['shown.png', 'image/png', Buffer.concat([PNG, Buffer.from(SCRIPT)])],
    ['gif.js', 'image/gif', 'GIF89a/*<script>*/=document.title="ran"//'],
    ['script.js', 'text/javascript', 'document.title="ran"'],
    ['text.txt', 'text/plain', SCRIPT],
    ['trick.txt', 'text/plain;text/html', SCRIPT],
    [
      'feed.xml',
      'text/xml',
      `<?xml version="1.0"?><x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>document.title="ran"</h:script></x>`,
    ],
    ['paper.pdf', 'application/pdf', '%PDF-1.4 /OpenAction << /S /JavaScript /JS (app.alert(1)) >>'],
    ['none', 'application/octet-stream', SCRIPT],
  ] as const) {
    tried++
    const kept = await send(link(name), type, body)
    if (!kept.ok) continue
    const { headers, status } = await fetch(local(storage.signedUrl(`${folder}/${name}`, { expiresInS: 60 })))
    const policy = headers.get('content-security-policy') ?? ''
    const told = [status, headers.get('content-type'), headers.get('content-disposition')].join(' ')
    if (headers.get('x-content-type-options') !== 'nosniff') findings.push(`${name} may be taken for another type: ${told}`)
    if (!/\bsandbox(;|$)/.test(policy) || !policy.includes("default-src 'none'")) findings.push(`${name} runs with our rights: ${policy}`)
    const isActive = !/^(image\/(png|jpeg|webp|gif|avif)|text\/plain)/.test(type)
    if (isActive && !headers.get('content-disposition')?.startsWith('attachment')) findings.push(`${name} opens in a window: ${told}`)
  }
  return { tried, findings }
}
