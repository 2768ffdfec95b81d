import { forgetField } from '@operon/contracts/crm/events'
import * as contract from '@operon/contracts/crm/fields'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { createContactField, deleteContactField, forgetValues, listContactFields, updateContactField } from './fields.ts'

export function fieldRoutes(rt: Runtime<CrmDb, any>) {
  const { app } = rt
  serve(app, contract.listContactFields, listContactFields)
  serve(app, contract.createContactField, createContactField)
  serve(app, contract.updateContactField, updateContactField)
  serve(app, contract.deleteContactField, deleteContactField)
  rt.job(forgetField, (ctx, { payload }) => forgetValues(ctx, payload.user_id, payload.field_id))
}
