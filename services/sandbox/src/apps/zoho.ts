import { numberOf } from './grants.ts'
import { type ApiCall, Bare, contacts, has, madeAt, mailOf, type Operation } from './operation.ts'

const crm = 'www.zohoapis.com/crm/v8'

/** Their ids are nineteen digits. */
const idOf = (id: string) => `5725767${numberOf(id).padStart(12, '0')}`
/** Their times are whole seconds with an offset. */
const timeOf = (at: string) => `${at.slice(0, 19)}+00:00`
const owner = ({ grant }: ApiCall) => ({ name: grant.name, id: idOf(grant.email) })

type Contact = { id: string; Full_Name: string; Email: string; Modified_Time: string }
const added = (call: ApiCall): Contact[] =>
  call.list('contact').map(({ id, data }) => ({
    id: idOf(id),
    Full_Name: [data.First_Name, data.Last_Name].filter(Boolean).join(' '),
    Email: data.Email,
    Modified_Time: timeOf(data.at ?? madeAt(id)),
  }))
const fromTheStart = contacts.map((name) => ({ id: idOf(name), Full_Name: name, Email: mailOf(name) }))

/** A page of what was found. There is no body where nothing was. */
function pageOf(rows: object[], call: ApiCall, none: 204 | 304 = 204) {
  const [page, per_page] = [Number(call.query.get('page') ?? 1), Number(call.query.get('per_page') ?? 200)]
  const shown = rows.slice((page - 1) * per_page, page * per_page)
  if (!shown.length) return new Bare({}, none)
  return { data: shown, info: { per_page, count: shown.length, page, more_records: rows.length > page * per_page } }
}

const field = (api_name: string, data_type: string, json_type = 'string') => ({
  ...{ api_name, data_type, json_type, field_label: api_name.replaceAll('_', ' '), id: idOf(api_name) },
})
const fields: Record<string, object[]> = {
  Contacts: [
    field('First_Name', 'text'),
    field('Last_Name', 'text'),
    field('Full_Name', 'text'),
    field('Email', 'email'),
    field('Phone', 'phone'),
    field('Modified_Time', 'datetime'),
  ],
  Deals: [field('Deal_Name', 'text'), field('Amount', 'currency', 'double'), field('Stage', 'picklist')],
}

export const zoho: Operation[] = [
  {
    at: `GET ${crm}/users`,
    query: ['type', 'page', 'per_page'],
    answer: (call) => ({
      users: [{ ...{ id: owner(call).id, full_name: call.grant.name, email: call.grant.email, status: 'active' } }],
      info: { per_page: 200, count: 1, page: 1, more_records: false },
    }),
  },
  {
    at: `GET ${crm}/settings/fields`,
    query: ['module'],
    answer: (call) => {
      const known = fields[call.query.get('module') ?? '']
      return known ? { fields: known } : new Bare({}, 204)
    },
  },
  {
    at: `GET ${crm}/Contacts/search`,
    query: ['word', 'email', 'criteria', 'fields', 'per_page', 'page'],
    answer: (call) => {
      const word = call.query.get('word') ?? ''
      return pageOf(
        [...added(call), ...fromTheStart].filter((each) => has(`${each.Full_Name} ${each.Email}`, word)),
        call,
      )
    },
  },
  {
    at: `GET ${crm}/Contacts`,
    query: ['fields', 'sort_by', 'sort_order', 'per_page', 'page'],
    answer: (call) => {
      const since = Date.parse(String(call.headers['if-modified-since'] ?? '')) || 0
      return pageOf(
        added(call).filter(({ Modified_Time }) => Date.parse(Modified_Time) >= since),
        call,
        since ? 304 : 204,
      )
    },
  },
  {
    at: `POST ${crm}/Contacts`,
    body: ['data', 'trigger'],
    status: 201,
    answer: (call) => {
      const { id } = call.add('contact', call.body.data?.[0] ?? {})
      const [by, at] = [owner(call), timeOf(madeAt(id))]
      const details = { id: idOf(id), Modified_Time: at, Modified_By: by, Created_Time: at, Created_By: by }
      return { data: [{ code: 'SUCCESS', details, message: 'record added', status: 'success' }] }
    },
  },
  {
    at: `GET ${crm}/Deals`,
    query: ['fields', 'sort_by', 'sort_order', 'per_page', 'page'],
    answer: (call) => pageOf([{ id: idOf('deal'), Deal_Name: 'Website for Maya', Amount: 2400, Stage: 'Negotiation/Review' }], call),
  },
]
