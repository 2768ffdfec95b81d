import * as contract from '@operon/contracts/crm/companies'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { createCompany, deleteCompany, findCompanies, restoreCompany, showCompany, updateCompany } from './companies.ts'

export function companyRoutes({ app }: Runtime<CrmDb, any>) {
  serve(app, contract.findCompanies, findCompanies)
  serve(app, contract.showCompany, showCompany)
  serve(app, contract.createCompany, createCompany)
  serve(app, contract.updateCompany, updateCompany)
  serve(app, contract.deleteCompany, deleteCompany)
  serve(app, contract.restoreCompany, restoreCompany)
}
