import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { vendorWires } from './grants.ts'

/** A sandbox for vendors' own SDKs: what they send to their vendors' hosts is led to the stand-ins. Each file of tests has its own: several of them share a process. */
export async function startVendors() {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-vendors-'))
  const publicUrl = 'http://localhost:9702'
  const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl, seed: 'vendors' })
  const { address, hostname, port } = (({ href, hostname, port }) => ({ address: href.replace(/\/$/, ''), hostname, port }))(
    new URL(sandbox.addresses.apps),
  )
  const email = 'ada@example.com'
  /** Method, host and path of what was sent, and how it was answered. */
  const calls: string[] = []

  beforeAll(() => {
    const real = globalThis.fetch
    vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init)
      const url = new URL(request.url)
      if (url.protocol !== 'https:') return real(input, init)
      const body = request.method === 'GET' ? undefined : await request.arrayBuffer()
      const answer = await real(`${address}/${url.host}${url.pathname}${url.search}`, {
        method: request.method,
        headers: request.headers,
        ...(body?.byteLength && { body }),
      })
      calls.push(`${request.method} ${url.host}${url.pathname} ${answer.status}`)
      return answer
    })
    vi.spyOn(https, 'request').mockImplementation(((...given: any[]) => {
      const done = given.find((each) => typeof each === 'function')
      const [first, second] = given
      const url = typeof first === 'string' || first instanceof URL ? new URL(first) : null
      const options = url ? (typeof second === 'object' ? second : {}) : first
      const host = url?.host ?? options.hostname ?? options.host
      const at: string = url ? url.pathname + url.search : (options.path ?? options.pathname)
      // Google's version after the one that its SDK knows.
      const path = host === 'googleads.googleapis.com' ? at.replace('/v25/', '/v26/') : at
      const { method = 'GET', headers } = options
      const request = http.request({ hostname, port, method, headers, path: `/${host}${path}` }, done)
      request.on('response', ({ statusCode }) => void calls.push(`${method} ${host}${path.split('?')[0]} ${statusCode}`))
      return request
    }) as typeof https.request)
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
    await sandbox.close()
    rmSync(dataDir, { recursive: true })
  })

  /** As a person approves and a server exchanges. */
  async function tokensOf(vendor: string): Promise<{ access_token: string; refresh_token: string }> {
    const wire = vendorWires[vendor]!
    const redirect_uri = `${publicUrl}/connect/app`
    const approved = await fetch(`${sandbox.addresses.stripe}/sandbox/apps/${wire.authorize}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ client_id: 'operon', redirect_uri, response_type: 'code', decision: 'approve', email, ...challenge }),
    })
    const code = new URL(approved.headers.get('location')!).searchParams.get('code')!
    const given = await fetch(`${address}/${wire.token}`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('operon:secret')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, code_verifier: 'verifier' }),
    })
    return (await given.json()) as { access_token: string; refresh_token: string }
  }
  const tokenOf = async (vendor: string) => (await tokensOf(vendor)).access_token

  /** The calls that were made, by the app; each must have been taken. */
  async function sent(use: () => Promise<void>): Promise<string[]> {
    calls.length = 0
    await use()
    return calls.map((call) => call.replace(/ (200|201|202)$/, ''))
  }
  return { dataDir, sandbox, address, email, tokensOf, tokenOf, sent }
}

const challenge = { code_challenge: 'iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ', code_challenge_method: 'S256' }
