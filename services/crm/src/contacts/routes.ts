import * as crm from '@operon/contracts/crm/api'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { countContacts } from './count.ts'

export function contactRoutes({ app }: Runtime) {
  serve(app, crm.countContacts, countContacts)
}
