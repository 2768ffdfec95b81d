import * as contract from '@operon/contracts/crm/email/sequences'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../../schema.ts'
import type { Senders } from '../senders.ts'
import { addToSequence, listSequencePeople, previewSequenceEntry, removeFromSequence, returnToSequence } from './people.ts'
import { pauseSequence, startSequence } from './run.ts'
import { createSequence, deleteSequence, updateSequence } from './sequences.ts'
import { listSequences, showSequence } from './show.ts'

export function sequenceRoutes({ app }: Runtime<CrmDb, any>, senders: Senders) {
  serve(app, contract.createSequence, createSequence)
  serve(app, contract.updateSequence, updateSequence)
  serve(app, contract.deleteSequence, deleteSequence)
  serve(app, contract.listSequences, listSequences)
  serve(app, contract.showSequence, showSequence)
  serve(app, contract.listSequencePeople, listSequencePeople)
  serve(app, contract.previewSequenceEntry, previewSequenceEntry)
  serve(app, contract.addToSequence, addToSequence)
  serve(app, contract.removeFromSequence, removeFromSequence)
  serve(app, contract.returnToSequence, returnToSequence)
  serve(app, contract.startSequence, (ctx, input) => startSequence(ctx, input, senders))
  serve(app, contract.pauseSequence, pauseSequence)
}
