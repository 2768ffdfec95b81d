import * as contract from '@operon/contracts/crm/forms'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { serve, serveRaw } from '@operon/kit/http'
import { sendPage } from '@operon/kit/page'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { createLeadForm, deleteLeadForm, listLeadForms, listSubmissions, updateLeadForm } from './forms.ts'
import { addLead, showLeadForm, submitLeadForm } from './submit.ts'

const QUESTIONS = 10

export function formRoutes(rt: Runtime<CrmDb, any>) {
  const { app } = rt
  const product = rt.kit.PRODUCT_NAME
  serve(app, contract.listLeadForms, (ctx) => listLeadForms(ctx, rt))
  serve(app, contract.createLeadForm, (ctx, input) => createLeadForm(ctx, input, rt))
  serve(app, contract.updateLeadForm, updateLeadForm)
  serve(app, contract.deleteLeadForm, deleteLeadForm)
  serve(app, contract.listSubmissions, listSubmissions)
  serve(app, contract.addLead, addLead)
  serve(app, contract.showLeadForm, showLeadForm)
  serve(app, contract.submitLeadForm, (ctx, input) => submitLeadForm(ctx, input, rt))
  serveRaw(app, contract.postLeadForm, async (ctx, { form_id, ...sent }, reply, request) => {
    const wantsPage = request.headers.accept?.includes('text/html')
    try {
      const { thanks } = await submitLeadForm(ctx as Ctx<CrmDb>, inputOf(form_id, sent), rt)
      return wantsPage ? sendPage(reply, { product, title: 'Sent', text: thanks }) : reply.send({ thanks })
    } catch (error) {
      if (!wantsPage || !(error instanceof DomainError)) throw error
      return sendPage(reply, { product, title: 'That was not sent', text: error.message }, { status: error.status })
    }
  })
}

/** The fields of a plain form. An empty one was not filled in. */
function inputOf(form_id: string, sent: Record<string, unknown>) {
  const said = (name: string) => (typeof sent[name] === 'string' && sent[name].trim()) || undefined
  const read = contract.submitLeadForm.body.safeParse({
    ...{ form_id, name: said('name'), email: said('email'), phone: said('phone'), company: said('company') },
    answers: Array.from({ length: QUESTIONS }, (_, n) => said(`answer-${n}`) ?? ''),
    consent: said('consent') !== undefined,
  })
  if (!read.success) throw new DomainError('form_answers')
  return read.data
}
