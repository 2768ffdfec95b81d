import { z } from 'zod'
import { changing, col, id, oneLine, reading } from '../contract.ts'
import { exampleId } from './calendar.ts'

// Views of the list of contacts: the filters, the order and the columns of an address, under a name.

const view_id = id('contact_view')
export const MOST_VIEWS = 30
const View = z.object({
  id: view_id,
  name: z.string(),
  /** As it stands in the address of the list. */
  query: z.string(),
})
const example: z.output<typeof View> = { id: exampleId, name: 'Hot leads', query: 'temperature=hot&sort=activity' }

export const listContactViews = reading('list-contact-views', {
  summary: 'Lists the saved views of contacts',
  description: 'A view is a name for filters, an order and columns.',
  body: z.object({}).prefault({}),
  reply: z.object({ views: z.array(View).max(MOST_VIEWS) }),
  example: { request: {}, reply: { views: [example] } },
  errors: [],
  action: {
    title: 'List views of contacts',
    when: 'The person asks for one of their saved views or lists of contacts',
    effect: 'reads',
    evidence: { rows: 'views', columns: { name: col.text('View'), query: col.text('Filters') } },
  },
})
export const deleteContactView = changing('delete-contact-view', {
  summary: 'Deletes a saved view',
  description: 'The contacts stay.',
  body: z.object({ view_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { view_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found'],
  action: {
    title: 'Delete a view of contacts',
    when: 'The person asks to delete a saved view',
    effect: 'destroys',
    does: () => 'Deletes the view. The contacts stay',
  },
})
export const saveContactView = changing('save-contact-view', {
  summary: 'Saves a view of contacts; one of the same name is replaced',
  description: 'At most thirty. Of `query` only the filters, the order and the columns are kept.',
  body: z.object({ name: oneLine(60).min(1), query: z.string().max(1000) }),
  reply: z.object({ view_id }),
  example: { request: { name: 'Hot leads', query: 'temperature=hot&sort=activity' }, reply: { view_id: exampleId } },
  errors: ['views_full'],
  action: {
    title: 'Save a view of contacts',
    when: 'The person asks to save how the list of contacts is filtered',
    effect: 'changes',
    does: ({ name }) => `Saves the view “${name}”`,
    undo: { contract: deleteContactView, seconds: 600 },
  },
})
