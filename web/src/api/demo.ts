import type { Session } from '@supabase/auth-js'
import { claimsOf } from './arrival.ts'
import { callPublic } from './call.ts'
import type { Role } from './roles.ts'
import { loadBackend } from './session.ts'

export type Demo = { endsAt: string; readsOnly: boolean }

/** The demo that the session belongs to; null in an account of one's own. */
export function demoOf(session: Session | null): Demo | null {
  const claims =
    session && (claimsOf(session.access_token) as { app_metadata?: { demo?: { ends_at: string; reads_only: boolean } } } | null)
  const demo = claims?.app_metadata?.demo
  return demo ? { endsAt: demo.ends_at, readsOnly: demo.reads_only } : null
}

const FILLED_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 200

/** Opens a demo and waits until its plan has arrived: without one, the seller's pages lead to the plan page. */
export async function openDemo(portal: Role): Promise<Demo | null> {
  const session = await callPublic('demo-sign-in', { portal })
  const { auth, rest, rows } = await loadBackend()
  const { data, error } = await auth.setSession(session)
  if (error) throw error
  const until = performance.now() + FILLED_WITHIN_MS
  while (portal === 'seller' && performance.now() < until) {
    const row = await rows<object | null>(rest.from('subscribers').select('user_id').eq('subscribed', true).maybeSingle())
    if (row) break
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS))
  }
  return demoOf(data.session)
}
