import type { ActivityQueryParams, DomainQueryParams, EmailParams } from 'mailersend'
import type { Customer, Invoice } from 'quickbooks-node-promise/dist/qbTypes.js'
import type Stripe from 'stripe'
import { companyOf, numberOf } from './grants.ts'
import { type ApiCall, contacts, has, iso, limited, mailOf, type Operation, Refused } from './operation.ts'
import { voice } from './voice.ts'

type QuickBooksAnswer = { QueryResponse: { CompanyInfo?: object[]; Invoice?: Invoice[]; Customer?: Customer[] } }
const invoiceOf = (TotalAmt: number): Invoice => ({
  ...{ TotalAmt, CustomerRef: { value: '0', name: 'Maya Patel' } },
  Line: [{ Id: '1', Amount: TotalAmt, DetailType: 'SalesItemLineDetail', SalesItemLineDetail: {} }],
})
const cardFields = ['idList', 'name', 'desc', 'due', 'pos']
const activity: (keyof ActivityQueryParams)[] = ['limit', 'page', 'date_from', 'date_to']
const api = 'api.stripe.com/v1'
type Charge = Pick<Stripe.Charge, 'id' | 'object' | 'amount' | 'currency' | 'status' | 'description' | 'created'>
type StripeCustomer = Pick<Stripe.Customer, 'id' | 'object' | 'created'> & {
  name?: Stripe.Customer['name']
  email?: Stripe.Customer['email']
}
type StripeList<T> = Omit<Stripe.ApiList<T>, 'data'> & { data: T[] }
const newCustomer: (keyof Stripe.CustomerCreateParams)[] = ['name', 'email', 'description', 'phone']
export const books: Operation[] = [
  {
    at: `GET ${api}/account`,
    answer: ({ grant }): Pick<Stripe.Account, 'id' | 'object' | 'email'> & { settings: { dashboard: object } } => ({
      id: `acct_${numberOf(grant.email)}`,
      object: 'account',
      email: grant.email,
      settings: { dashboard: { display_name: companyOf(grant) } },
    }),
  },
  {
    at: `GET ${api}/charges`,
    query: ['limit', 'starting_after', 'customer', 'created[gte]'],
    answer: (call): StripeList<Charge> => ({
      object: 'list',
      url: '/v1/charges',
      has_more: false,
      data: limited<Charge>(
        [
          ...call.list('charge').map(({ id, data }) => ({
            ...{ id: `ch_${id}`, object: 'charge' as const, currency: 'usd', status: 'succeeded' as const, description: null },
            ...(data as { amount: number; created: number; description?: string }),
          })),
          {
            id: 'ch_1',
            object: 'charge' as const,
            amount: 4900,
            currency: 'usd',
            status: 'succeeded' as const,
            description: 'Template pack',
            created: Math.floor(Date.now() / 1000) - 9000,
          },
        ].filter(({ created }) => created >= Number(call.query.get('created[gte]') ?? 0)),
        call,
      ),
    }),
  },
  {
    at: `GET ${api}/customers`,
    query: ['limit', 'email', 'starting_after'],
    answer: (call): StripeList<StripeCustomer> => ({
      object: 'list',
      url: '/v1/customers',
      has_more: false,
      data: [
        ...call
          .list('customer')
          .map(
            ({ id, data }): StripeCustomer => ({ id: `cus_${id}`, object: 'customer', created: 0, ...(data as Partial<StripeCustomer>) }),
          ),
        ...contacts.map(
          (name, index): StripeCustomer => ({ id: `cus_${index}`, object: 'customer', name, email: mailOf(name), created: 1_760_000_000 }),
        ),
      ].filter(({ email }) => !call.query.get('email') || email === call.query.get('email')),
    }),
  },
  {
    at: `POST ${api}/customers`,
    body: newCustomer,
    answer: (call): StripeCustomer => ({
      ...{ id: `cus_${call.add('customer', call.body).id}`, object: 'customer', created: Math.floor(Date.now() / 1000) },
      ...(call.body as Partial<StripeCustomer>),
    }),
  },
  {
    at: 'GET api-m.paypal.com/v1/identity/openidconnect/userinfo',
    query: ['schema'],
    answer: ({ grant }) => ({
      user_id: `https://www.paypal.com/webapps/auth/identity/user/${numberOf(grant.email)}`,
      payer_id: `P${numberOf(grant.email)}`,
      name: companyOf(grant),
    }),
  },
  {
    at: 'GET api-m.paypal.com/v1/reporting/transactions',
    query: ['start_date', 'end_date', 'fields', 'page_size', 'page'],
    answer: (call) => ({
      ...{ page: 1, total_pages: 1 },
      transaction_details: [
        ...call.list('transaction').map(({ id, data }) => ({
          transaction_info: {
            ...{ transaction_id: id, transaction_status: 'S', transaction_initiation_date: data.at },
            transaction_amount: { value: data.value, currency_code: 'USD' },
          },
        })),
        {
          transaction_info: {
            transaction_id: '5TY05013RG002845M',
            transaction_amount: { value: '49.00', currency_code: 'USD' },
            transaction_status: 'S',
            transaction_initiation_date: iso(-600),
          },
        },
      ],
    }),
  },
  {
    at: 'GET api-m.paypal.com/v2/invoicing/invoices',
    query: ['page_size', 'page', 'total_required'],
    answer: (call) => ({
      items: [
        ...call
          .list('invoice')
          .map(({ id }) => ({ id: `INV2-${id}`, status: 'DRAFT', detail: { invoice_number: id }, amount: { value: '0.00' } })),
        {
          id: 'INV2-1',
          status: 'PAID',
          detail: { invoice_number: '0001', invoice_date: iso(-9000).slice(0, 10) },
          amount: { value: '120.00', currency_code: 'USD' },
        },
      ],
    }),
  },
  {
    at: 'POST api-m.paypal.com/v2/invoicing/invoices',
    body: ['detail', 'primary_recipients', 'items', 'invoicer'],
    status: 201,
    answer: (call) => ({
      rel: 'self',
      href: `https://api-m.paypal.com/v2/invoicing/invoices/INV2-${call.add('invoice', call.body).id}`,
      method: 'GET',
    }),
  },
  {
    at: 'GET quickbooks.api.intuit.com/v3/company/:company/query',
    query: ['query', 'minorversion'],
    answer: (call): QuickBooksAnswer => {
      const q = call.query.get('query') ?? ''
      if (/from CompanyInfo/i.test(q)) return { QueryResponse: { CompanyInfo: [{ Id: '1', CompanyName: companyOf(call.grant) }] } }
      if (/from Invoice/i.test(q))
        return {
          QueryResponse: {
            Invoice: [
              ...call.list('invoice').map(({ id, data }): Invoice => ({ Id: id, ...invoiceOf(data.TotalAmt), ...data })),
              {
                ...{ Id: '1', DocNumber: '1001', TxnDate: iso(-9000).slice(0, 10), ...invoiceOf(120) },
                MetaData: { CreateTime: iso(-9000), LastUpdatedTime: iso(-9000) },
              },
            ].filter(({ MetaData }) => MetaData!.LastUpdatedTime! >= (/LastUpdatedTime >= '([^']*)'/.exec(q)?.[1] ?? '')),
          },
        }
      const words = /like '%((?:[^'\\]|\\.)*)%'/.exec(q)?.[1] ?? ''
      const all: Customer[] = [
        ...call.list('customer').map(({ id, data }) => ({ Id: id, ...data })),
        ...contacts.map((name, index) => ({ Id: String(index), DisplayName: name, PrimaryEmailAddr: { Address: mailOf(name) } })),
      ]
      return { QueryResponse: { Customer: all.filter((each) => has(each.DisplayName, words)) } }
    },
  },
  {
    at: 'POST quickbooks.api.intuit.com/v3/company/:company/customer',
    query: ['minorversion'],
    body: ['DisplayName', 'PrimaryEmailAddr', 'PrimaryPhone'] satisfies (keyof Customer)[],
    answer: (call): { Customer: Customer; time: string } => ({
      Customer: { Id: call.add('customer', call.body).id, ...call.body },
      time: iso(0),
    }),
  },
  {
    at: 'GET api.mailersend.com/v1/domains',
    query: ['limit', 'page', 'verified'] satisfies (keyof DomainQueryParams)[],
    answer: ({ grant }) => ({
      data: [
        { id: `dom-${numberOf(grant.email)}`, name: `${numberOf(grant.email)}.example.com`, is_verified: true, created_at: iso(-90_000) },
      ],
    }),
  },
  {
    at: 'POST api.mailersend.com/v1/email',
    body: ['from', 'to', 'subject', 'text', 'html', 'tags', 'reply_to', 'list_unsubscribe'] satisfies (keyof EmailParams)[],
    status: 202,
    answer: mailThrough,
  },
  {
    at: 'GET api.mailersend.com/v1/activity/:domain',
    query: [...activity, 'event[]', 'event[0]', 'event[1]'],
    answer: (call) => ({
      data: call.list('mail').map(({ id, data }) => ({
        ...{ id, created_at: data.at ?? iso(-1), updated_at: data.at ?? iso(-1), type: data.type ?? 'sent' },
        email: {
          id,
          from: data.from.email,
          subject: data.subject,
          status: 'sent',
          tags: data.tags ?? null,
          recipient: { email: data.to[0].email },
        },
      })),
    }),
  },
  {
    at: 'GET api.trello.com/1/members/me',
    query: ['fields', 'key', 'token'],
    answer: ({ grant }) => ({ id: numberOf(grant.email), username: `user${numberOf(grant.email)}`, fullName: grant.name }),
  },
  {
    at: 'GET api.trello.com/1/members/me/boards',
    query: ['fields', 'filter', 'key', 'token'],
    answer: () => [{ id: 'b1', name: 'Launch', url: 'https://trello.com/b/b1' }],
  },
  {
    at: 'GET api.trello.com/1/boards/:board/lists',
    query: ['fields', 'key', 'token'],
    answer: () => [
      { id: 'l1', name: 'To do' },
      { id: 'l2', name: 'Done' },
    ],
  },
  {
    at: 'GET api.trello.com/1/lists/:list/cards',
    query: ['fields', 'key', 'token'],
    answer: (call) => [
      ...call
        .list('card')
        .filter(({ data }) => data.idList === call.params.list)
        .map(({ id, data }) => ({ id, name: data.name, desc: data.desc ?? '', shortUrl: `https://trello.com/c/${id}` })),
      { id: 'c1', name: 'Write the announcement', desc: '', shortUrl: 'https://trello.com/c/c1', due: null },
    ],
  },
  {
    at: 'POST api.trello.com/1/cards',
    // It takes them in either place.
    query: ['key', 'token', ...cardFields],
    body: cardFields,
    answer: (call) => {
      const card: Record<string, any> = {
        ...call.body,
        ...Object.fromEntries([...call.query].filter(([name]) => cardFields.includes(name))),
      }
      return { ...card, ...short(call.add('card', card).id) }
    },
  },
  ...voice,
]
const short = (id: string) => ({ id, shortUrl: `https://trello.com/c/${id}` })

/** MailerSend sends only from a domain that is verified there, one email to each recipient. */
function mailThrough(call: ApiCall) {
  const { from, to, subject, text, html, reply_to, list_unsubscribe } = call.body
  const domain = `${numberOf(call.grant.email)}.example.com`
  if (!from?.email?.endsWith(`@${domain}`))
    return new Refused(422, {
      message: 'The from.email must be verified.',
      errors: { 'from.email': ['The from.email domain must be verified.'] },
    })
  if (!to?.[0]?.email || !subject || !(text || html)) return new Refused(422, { message: 'The given data was invalid.', errors: {} })
  const { id } = call.add('mail', call.body)
  call.deliver({
    ...{ kind: 'mail', from: from.email, from_name: from.name ?? '', to: to.map((each: { email: string }) => each.email), subject },
    ...{ text: text ?? '', html: html ?? null, message_id: `<${id}@mailersend.example>`, attachments: [] },
    headers: {
      'x-mailersend-tag': (call.body.tags ?? []).join(','),
      ...(reply_to?.email && { 'reply-to': reply_to.email }),
      ...(list_unsubscribe && { 'list-unsubscribe': list_unsubscribe, 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' }),
    },
  })
}
