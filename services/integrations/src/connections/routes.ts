import * as api from '@operon/contracts/integrations/connections'
import { connectionLook, connectionSweep, revokeAccess } from '@operon/contracts/integrations/events'
import * as mail from '@operon/contracts/integrations/mail'
import { userIntegrations } from '@operon/contracts/integrations/tables'
import * as wishes from '@operon/contracts/integrations/wishes'
import { userIdOf } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { adRoutes } from '../ads/routes.ts'
import { openPlaces } from '../apps/place.ts'
import { caldavRoutes } from '../calendars/caldav/routes.ts'
import { calendarRoutes } from '../calendars/routes.ts'
import type { Config } from '../config.ts'
import { customRoutes } from '../custom/routes.ts'
import { findMailWith, updateMailbox } from '../mail/find.ts'
import { notionRoutes } from '../notion/routes.ts'
import type { IntegrationsDb } from '../schema.ts'
import { watchRoutes } from '../watches/routes.ts'
import { appRequests, requestApp } from '../wishes/wishes.ts'
import {
  forgetOld,
  listAppActions,
  listApps,
  listConnections,
  notionDatabases,
  previewAppAction,
  readFromApp,
  runAppAction,
  showConnection,
  testConnection,
} from './actions.ts'
import { openCalls } from './call.ts'
import { connect, finish, initiate } from './connect.ts'
import { disconnect, disconnectApp } from './disconnect.ts'
import { keepAlive, lookAfter, resealTokens, revoke, revokeLeft } from './sweep.ts'
import { openTokens } from './tokens.ts'

export function connectionRoutes(rt: Runtime<IntegrationsDb, Config>) {
  const { app, vault, kit } = rt
  const places = openPlaces(rt)
  const tokens = openTokens(rt, places)
  const call = openCalls(rt, places, tokens)
  const connecting = { vault, kit, places }
  serveTable(app, userIntegrations, { scope: (ctx) => ({ user_id: userIdOf(ctx.actor) }), update: disconnect })
  serve(app, api.listApps, (ctx, input) => listApps(ctx, input, places))
  serve(app, api.listConnections, listConnections)
  serve(app, api.showConnection, showConnection)
  serve(app, api.testConnection, (ctx, input) => testConnection(ctx, input, call))
  serve(app, api.connectApp, (ctx, input) => connect(ctx, input, connecting))
  serve(app, api.finishConnection, (ctx, input) => finish(ctx, input, connecting))
  serve(app, api.googleOauth, (ctx, input) => initiate(ctx, input.service ?? 'gmail', input, connecting))
  serve(app, api.metaOauth, (ctx, input) => initiate(ctx, input.service ?? 'meta-ads', input, connecting))
  serve(app, api.notionOauth, (ctx, input) => initiate(ctx, 'notion', input, connecting))
  serve(app, api.slackOauth, (ctx, input) => initiate(ctx, 'slack', input, connecting))
  serve(app, api.hubspotOauth, (ctx, input) => initiate(ctx, 'hubspot', input, connecting))
  serve(app, api.disconnectApp, disconnectApp)
  serve(app, api.listAppActions, listAppActions)
  serve(app, api.readFromApp, (ctx, input) => readFromApp(ctx, input, call))
  serve(app, api.previewAppAction, previewAppAction)
  serve(app, api.runAppAction, (ctx, input) => runAppAction(ctx, input, call))
  serve(app, api.notionApi, (ctx, input) => notionDatabases(ctx, input, call))
  serve(app, mail.findMailWith, (ctx, input) => findMailWith(ctx, input, call))
  serve(app, mail.updateMailbox, updateMailbox)
  notionRoutes(app, call)
  adRoutes(rt, call)
  caldavRoutes(rt, connecting)
  calendarRoutes(rt, { rt, places, call })
  watchRoutes(rt, call)
  serve(app, wishes.requestApp, requestApp)
  serve(app, wishes.staffAppRequests, appRequests)
  customRoutes(rt, { ...connecting, tokens }, call)
  rt.job(revokeAccess, (_ctx, { payload }) => revoke(rt, places, payload))
  rt.job(connectionLook, () => lookAfter(rt, call), { everyMs: 15_000 })
  rt.job(
    connectionSweep,
    async () => {
      await keepAlive(rt, tokens, call)
      await revokeLeft(rt, places)
      await resealTokens(rt)
      await forgetOld(rt.db)
    },
    { everyMs: 300_000 },
  )
}
