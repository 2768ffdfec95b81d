import * as crm from '@operon/contracts/crm/api'
import * as contract from '@operon/contracts/crm/contacts'
import { forgetDeletedContacts, remind } from '@operon/contracts/crm/events'
import * as filing from '@operon/contracts/crm/files'
import { findContactMail as contactMail } from '@operon/contracts/crm/mail'
import * as merging from '@operon/contracts/crm/merges'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { addNote, createContact, deleteNote, editContacts, updateContact } from './change.ts'
import { countContacts } from './count.ts'
import { deleteContact, forgetDeleted, restoreContact } from './delete.ts'
import { attachFile, detachFile, listContactFiles } from './files.ts'
import { findContacts, listTags } from './find.ts'
import { findContactMail } from './mail.ts'
import { listMerges, mergeContacts, unmergeContacts } from './merge.ts'
import { contactTimeline, showContact } from './show.ts'
import { completeTask, createTask, deleteTask, listTasks, remindOfTasks, updateTask } from './tasks.ts'

export function contactRoutes(rt: Runtime<CrmDb>) {
  const { app } = rt
  serve(app, crm.countContacts, countContacts)
  serve(app, contract.createContact, createContact)
  serve(app, contract.updateContact, updateContact)
  serve(app, contract.editContacts, editContacts)
  serve(app, contract.deleteContact, deleteContact)
  serve(app, contract.restoreContact, restoreContact)
  serve(app, contract.findContacts, findContacts)
  serve(app, contract.showContact, showContact)
  serve(app, contract.contactTimeline, contactTimeline)
  serve(app, contactMail, (ctx, input) => findContactMail(ctx, input, rt))
  serve(app, contract.addNote, addNote)
  serve(app, contract.deleteActivity, deleteNote)
  serve(app, contract.createTask, createTask)
  serve(app, contract.updateTask, updateTask)
  serve(app, contract.completeTask, completeTask)
  serve(app, contract.deleteTask, deleteTask)
  serve(app, contract.listTasks, listTasks)
  serve(app, contract.listTags, listTags)
  serve(app, merging.mergeContacts, mergeContacts)
  serve(app, merging.unmergeContacts, unmergeContacts)
  serve(app, merging.listMerges, listMerges)
  serve(app, filing.attachContactFile, attachFile)
  serve(app, filing.detachContactFile, detachFile)
  serve(app, filing.contactFiles, listContactFiles)
  rt.job(remind, remindOfTasks, { cron: '* * * * *' })
  rt.job(forgetDeletedContacts, forgetDeleted, { cron: '41 3 * * *' })
}
