import * as api from '@operon/contracts/integrations/calendars'
import { hookSweep } from '@operon/contracts/integrations/events'
import { DomainError } from '@operon/kit/errors'
import { serve, serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import { type Hooks, isSecretOf, sweepHooks, tell, unwatchCalendar, watchCalendar } from '../hooks/hooks.ts'
import type { IntegrationsDb } from '../schema.ts'
import { listChanges, writeEvent } from './events.ts'

export function calendarRoutes({ app, job }: Runtime<IntegrationsDb, Config>, hooks: Hooks) {
  serve(app, api.listCalendarChanges, (ctx, input) => listChanges(ctx, input, hooks.call))
  serve(app, api.writeCalendarEvent, (ctx, input) => writeEvent(ctx, input, hooks.call))
  serve(app, api.watchCalendar, (ctx, input) => watchCalendar(ctx, input, hooks))
  serve(app, api.unwatchCalendar, (ctx, input) => unwatchCalendar(ctx, input, hooks))
  serveRaw(app, api.appHook, async ({ db }, _bytes, reply, { headers, body, params, query }) => {
    const { hook } = params as { hook: string }
    const { validationToken } = query as { validationToken?: string }
    const known = await db.selectFrom('app_hooks').select('id').where('id', '=', hook).executeTakeFirst()
    if (!known) throw new DomainError('webhook_signature')
    // Microsoft asks whether it is us before it tells anything.
    if (validationToken !== undefined) return reply.type('text/plain').send(validationToken)
    const secrets = headers['x-goog-channel-token'] === undefined ? clientStates(body) : [headers['x-goog-channel-token']]
    if (!secrets.length || !secrets.every((secret) => isSecretOf(hooks.rt, hook, secret))) throw new DomainError('webhook_signature')
    // Google's first message says that the watch has begun.
    if (headers['x-goog-resource-state'] !== 'sync') await tell(db, known)
    return reply.code(202).type('text/plain').send('')
  })
  job(hookSweep, () => sweepHooks(hooks), { everyMs: 15_000 })
}

function clientStates(body: unknown): unknown[] {
  try {
    const { value } = JSON.parse(Buffer.isBuffer(body) ? body.toString('utf8') : '') as { value?: { clientState?: unknown }[] }
    return (value ?? []).map(({ clientState }) => clientState)
  } catch {
    return []
  }
}
