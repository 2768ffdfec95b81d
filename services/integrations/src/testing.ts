import type { AppId } from '@operon/contracts/integrations/apps'
import type { TestPlatform, TestUser } from '@operon/kit/testing/service'
import { expect } from 'vitest'
import { openPlaces } from './apps/place.ts'
import { openCalls } from './connections/call.ts'
import { openTokens } from './connections/tokens.ts'

const keys: Record<string, Record<string, string>> = {
  mailersend: { key: 'mlsn.sandbox_' },
  voice: { provider: 'retell', key: 'sandbox_' },
  stripe: { key: 'rk_test_sandbox_' },
  paypal: { client_id: 'client', key: 'sandbox_' },
  trello: { api_key: 'key', key: 'sandbox_' },
}
const withKey = (app: string, name: string) => ({ ...keys[app], key: `${keys[app]!.key}${name}` })

/** The parts that its jobs work with. */
export function workingsOf(platform: TestPlatform) {
  const rt: any = platform.services.integrations!.rt
  const places = openPlaces(rt)
  return { rt, places, call: openCalls(rt, places, openTokens(rt, places)) }
}

/** Steps of a person and of a vendor's owner, for tests of connections. */
export function connectingIn(platform: TestPlatform) {
  const db: any = platform.services.integrations!.rt.db
  const sandbox = platform.url('sandbox')

  async function call(user: TestUser, name: string, body: object = {}, headers: Record<string, string> = {}) {
    const response = await fetch(`${platform.url('integrations')}/functions/v1/${name}`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as any }
  }

  /** Presses Approve on the stand-in's consent page, and returns what the browser is sent back with. */
  async function decide(authUrl: string, email: string, decision = 'approve') {
    const page = new URL(authUrl)
    const fields = new URLSearchParams(page.search)
    fields.set('email', email)
    fields.set('decision', decision)
    const response = await fetch(`${sandbox}${page.pathname}`, { method: 'POST', redirect: 'manual', body: fields })
    const back = new URL(response.headers.get('location')!)
    return { back, answer: Object.fromEntries(back.searchParams) as { state: string; code?: string; error?: string; realmId?: string } }
  }

  async function connected(user: TestUser, app: AppId, email = user.email) {
    const fields = keys[app] ? withKey(app, email.split('@')[0]!) : {}
    const begun = await call(user, 'connect-app', { app, return_to: '/dashboard/app-library', ...fields })
    expect([app, begun.status, begun.body.message]).toEqual([app, 200, undefined])
    if (begun.body.connection_id) return begun.body.connection_id as string
    const { back, answer } = await decide(begun.body.auth_url, email)
    expect(back.pathname).toBe(`/connect/${app}`)
    const { state, code, realmId } = answer
    const done = await call(user, 'finish-connection', { state, code, ...(realmId && { realm_id: realmId }) })
    expect([app, done.status, done.body.message]).toEqual([app, 200, undefined])
    expect(done.body).toMatchObject({ app, return_to: '/dashboard/app-library', connection: { state: 'connected' } })
    return done.body.connection.id as string
  }

  const grantsOf = async (email: string): Promise<any[]> =>
    ((await (await fetch(`${sandbox}/sandbox/api/apps`)).json()) as any).grants.filter((grant: any) => grant.email === email)
  const steer = (grant: string, what: 'cut' | 'expire') =>
    fetch(`${sandbox}/sandbox/apps/grants/${encodeURIComponent(grant)}/${what}`, { method: 'POST', redirect: 'manual' })
  const truth = async (kind: string) =>
    ((await (await fetch(`${sandbox}/sandbox/api/truth?provider=apps&kind=${kind}&limit=5000`)).json()) as any).truth as any[]
  /** As if the hours of a token had passed, on both sides. */
  async function grewOld(connectionId: string, email: string) {
    for (const grant of await grantsOf(email)) await steer(grant.id, 'expire')
    await db
      .updateTable('connections')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', connectionId)
      .execute()
  }
  return { db, sandbox, call, decide, connected, grantsOf, steer, truth, grewOld }
}
