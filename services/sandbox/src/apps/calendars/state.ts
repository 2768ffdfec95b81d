import type { AppObject } from '../grants.ts'
import { type ApiCall, iso } from '../operation.ts'

// Calendars over there, whoever keeps them: changes since a token, guarded writes and watches that tell.

export const GOOGLE = 'www.googleapis.com'
export const GRAPH = 'graph.microsoft.com'

export type Kept = {
  key: string
  title: string
  start: string
  end: string
  free: boolean
  place: string
  notes: string
  /** Written through the API under this key. */
  by: string | null
  version: number
  /** Rises with every change of anything. */
  seq: number
  at: string
  gone: boolean
}
export type Hook = { remote: string; address: string; secret: string; until: string; said: number }

let changes = Date.now() * 100
export const nextSeq = () => ++changes
export const eventsOf = (kept: AppObject[]): Kept[] =>
  [...new Map([...kept].reverse().map(({ data }) => [data.key as string, data as unknown as Kept])).values()].sort(
    (one, other) => one.seq - other.seq,
  )
/** The events of a calendar before anybody wrote into it. */
export function begun(call: Pick<ApiCall, 'list' | 'set'>, title: string): Kept[] {
  const known = eventsOf(call.list('event'))
  if (known.length) return known
  put(call, { ...empty('first'), title, start: iso(90), end: iso(120) })
  return eventsOf(call.list('event'))
}
export const empty = (key: string): Kept => ({
  ...{ key, title: '', start: '', end: '', free: false, place: '', notes: '', by: null, version: 0, seq: 0, at: '', gone: false },
})
export function put(call: Pick<ApiCall, 'set'>, event: Kept): Kept {
  const after = { ...event, version: event.version + 1, seq: nextSeq(), at: new Date().toISOString() }
  call.set(event.key, 'event', after)
  return after
}
export const hooksOf = (kept: AppObject[]): Hook[] =>
  [...new Map([...kept].reverse().map(({ data }) => [data.key as string, data as unknown as Hook])).values()].filter(
    ({ address }) => address,
  )

export const etagOf = ({ version, key }: Kept) => `"${key}-${version}"`
export const isChanged = (call: ApiCall, event: Kept, tag = etagOf(event)) =>
  call.headers['if-match'] !== undefined && call.headers['if-match'] !== tag

export const find = (call: ApiCall, title: string) => begun(call, title).find(({ key }) => key === call.params.id)

// Its notifications

export async function post(address: string, headers: Record<string, string>, body: string): Promise<string | null> {
  const response = await fetch(address, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(5_000) }).catch(
    () => null,
  )
  return response?.ok ? response.text() : null
}
export const tell = (address: string, headers: Record<string, string>, body = '') => void post(address, headers, body)

/** To all who watch the calendar, a moment after the answer to whoever changed it. */
export function tellAll(call: Pick<ApiCall, 'list' | 'set'> & { host: string }) {
  for (const hook of hooksOf(call.list('hook'))) {
    if (Date.parse(hook.until) < Date.now()) continue
    const said = hook.said + 1
    call.set(hook.remote, 'hook', { ...hook, said })
    if (call.host === GOOGLE)
      tell(hook.address, {
        'x-goog-channel-id': hook.remote,
        'x-goog-channel-token': hook.secret,
        'x-goog-resource-state': 'exists',
        'x-goog-message-number': String(said),
      })
    else
      tell(
        hook.address,
        { 'content-type': 'application/json' },
        JSON.stringify({
          value: [{ subscriptionId: hook.remote, clientState: hook.secret, changeType: 'updated', resource: 'me/events' }],
        }),
      )
  }
}
