import * as api from '@operon/contracts/integrations/custom'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CallApp } from '../connections/call.ts'
import type { Connecting } from '../connections/connect.ts'
import type { Tokens } from '../connections/tokens.ts'
import type { IntegrationsDb } from '../schema.ts'
import { connectApi, disconnectApi, listApis, listOperations, readApi, runApi } from './apis.ts'
import { beginSignIn, finishSignIn } from './signIn.ts'
import { allowTool, listTools, refreshTools } from './tools.ts'

export function customRoutes({ app }: Runtime<IntegrationsDb, Config>, at: Connecting & { tokens: Tokens }, call: CallApp) {
  serve(app, api.listCustomApis, listApis)
  serve(app, api.connectCustomApi, (ctx, input) => connectApi(ctx, input, at))
  serve(app, api.listCustomOperations, listOperations)
  serve(app, api.readCustomApi, (ctx, input) => readApi(ctx, input, call))
  serve(app, api.runCustomApi, (ctx, input) => runApi(ctx, input, call))
  serve(app, api.beginCustomSignIn, (ctx, input) => beginSignIn(ctx, input, at))
  serve(app, api.finishCustomSignIn, (ctx, input) => finishSignIn(ctx, input, at))
  serve(app, api.listMcpTools, listTools)
  serve(app, api.refreshMcpTools, (ctx, input) => refreshTools(ctx, input, at))
  serve(app, api.allowMcpTool, allowTool)
  serve(app, api.disconnectCustomApi, disconnectApi)
}
