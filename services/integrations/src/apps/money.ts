import { z } from 'zod'
import { type Answer, type AppDefinition, type AppRequest, does, field, listOf, made, pagedBy, reads, row } from './app.ts'

const amount = (cents: unknown, currency: unknown) => `${(Number(cents ?? 0) / 100).toFixed(2)} ${String(currency ?? '').toUpperCase()}`
const day = (seconds: unknown) => (typeof seconds === 'number' ? new Date(seconds * 1000).toISOString() : null)

export const stripe: AppDefinition = {
  id: 'stripe',
  api: 'https://api.stripe.com/v1',
  who: {
    path: '/account',
    read: ({ id, settings, email }) => ({ id, name: settings?.dashboard?.display_name ?? email ?? id }),
  },
  perMinute: 600,
  paging: pagedBy('starting_after', ({ has_more, data }) => has_more && data?.at(-1)?.id),
  actions: {
    'list-payments': reads(
      'List payments',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ path: '/charges', query: { limit } }),
      ({ data }) =>
        listOf(data).map((each) =>
          row(each.id, amount(each.amount, each.currency), { detail: each.description ?? each.status, at: day(each.created) }),
        ),
    ),
    'find-customers': reads(
      'Find customers by email',
      z.object({ email: field.email, limit: field.limit }),
      ({ email, limit }) => ({ path: '/customers', query: { email, limit } }),
      ({ data }) => listOf(data).map((each) => row(each.id, each.name ?? each.email, { detail: each.email, at: day(each.created) })),
    ),
    'add-customer': does(
      'Add a customer',
      'changes',
      z.object({ name: field.text('Name', 200), email: field.email }),
      ({ name, email }) => ({ method: 'POST', path: '/customers', form: { name, email } }),
      ({ id }) => made(id),
    ),
  },
}

export const paypal: AppDefinition = {
  id: 'paypal',
  api: 'https://api-m.paypal.com',
  mint: ({ refresh = '', fields }) => ({
    url: 'https://api-m.paypal.com/v1/oauth2/token',
    headers: { authorization: `Basic ${Buffer.from(`${fields?.client_id ?? ''}:${refresh}`).toString('base64')}` },
    form: { grant_type: 'client_credentials' },
  }),
  who: {
    path: '/v1/identity/openidconnect/userinfo',
    query: { schema: 'openid' },
    read: ({ user_id, payer_id, name }) => ({ id: payer_id ?? user_id, name: name ?? payer_id ?? user_id }),
  },
  perMinute: 100,
  paging: pagedBy('page', ({ page, total_pages }) => Number(total_pages) > Number(page) && Number(page) + 1),
  actions: {
    'list-transactions': reads(
      'List transactions',
      z.object({ from: field.time('From'), to: field.time('To') }),
      ({ from, to }) => ({
        path: '/v1/reporting/transactions',
        query: { start_date: from, end_date: to, fields: 'transaction_info', page_size: 100 },
      }),
      ({ transaction_details }) =>
        listOf(transaction_details).map(({ transaction_info: info }) =>
          row(info?.transaction_id, `${info?.transaction_amount?.value} ${info?.transaction_amount?.currency_code}`, {
            detail: info?.transaction_status,
            at: info?.transaction_initiation_date,
          }),
        ),
    ),
    'list-invoices': reads(
      'List invoices',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ path: '/v2/invoicing/invoices', query: { page_size: limit, total_required: 'false' } }),
      ({ items }) =>
        listOf(items).map((each) =>
          row(each.id, each.detail?.invoice_number ?? each.id, {
            detail: `${each.amount?.value ?? ''} ${each.status}`,
            at: each.detail?.invoice_date,
          }),
        ),
    ),
    'draft-invoice': does(
      'Draft an invoice',
      'changes',
      z.object({
        to: field.email,
        item: field.text('What it is for', 200),
        amount: z.number().positive().max(1_000_000).describe('Amount'),
        currency: z.string().length(3).default('USD').describe('Currency, as USD'),
      }),
      ({ to, item, amount, currency }) => ({
        method: 'POST',
        path: '/v2/invoicing/invoices',
        json: {
          detail: { currency_code: currency },
          primary_recipients: [{ billing_info: { email_address: to } }],
          items: [{ name: item, quantity: '1', unit_amount: { currency_code: currency, value: amount.toFixed(2) } }],
        },
      }),
      ({ id, href }) =>
        made(
          id ??
            String(href ?? '')
              .split('/')
              .at(-1),
          href,
        ),
    ),
  },
}

export const quickbooks: AppDefinition = {
  id: 'quickbooks',
  vendor: 'quickbooks',
  scopes: ['com.intuit.quickbooks.accounting'],
  api: ({ fields }) => `https://quickbooks.api.intuit.com/v3/company/${encodeURIComponent(fields?.realm_id ?? '')}`,
  headers: { accept: 'application/json' },
  who: {
    path: '/query',
    query: { query: 'select * from CompanyInfo', minorversion: 75 },
    read: ({ QueryResponse }, { fields }) => ({
      id: fields?.realm_id ?? '',
      name: QueryResponse?.CompanyInfo?.[0]?.CompanyName ?? `Company ${fields?.realm_id}`,
    }),
  },
  perMinute: 300,
  actions: {
    'list-invoices': reads(
      'List invoices',
      z.object({ limit: field.limit }),
      ({ limit }) => ({
        path: '/query',
        query: { query: `select * from Invoice orderby TxnDate desc maxresults ${limit}`, minorversion: 75 },
      }),
      ({ QueryResponse }) =>
        listOf(QueryResponse?.Invoice).map((each) =>
          row(each.Id, `${each.DocNumber ?? each.Id}: ${each.TotalAmt}`, { detail: each.CustomerRef?.name, at: each.TxnDate }),
        ),
    ),
    'find-customers': reads(
      'Find customers',
      z.object({ words: field.words, limit: field.limit }),
      ({ words, limit }) => ({
        path: '/query',
        query: {
          query: `select * from Customer where DisplayName like '%${words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}%' maxresults ${limit}`,
          minorversion: 75,
        },
      }),
      ({ QueryResponse }) =>
        listOf(QueryResponse?.Customer).map((each) => row(each.Id, each.DisplayName, { detail: each.PrimaryEmailAddr?.Address })),
    ),
    'add-customer': does(
      'Add a customer',
      'changes',
      z.object({ name: field.text('Name', 100), email: field.email }),
      ({ name, email }) => ({
        method: 'POST',
        path: '/customer',
        query: { minorversion: 75 },
        json: { DisplayName: name, PrimaryEmailAddr: { Address: email } },
      }),
      ({ Customer }) => made(Customer?.Id),
    ),
  },
}

export const mailersend: AppDefinition = {
  id: 'mailersend',
  api: 'https://api.mailersend.com/v1',
  who: {
    path: '/domains',
    query: { limit: 10 },
    // The API does not tell whose token it is; its first domain does as well as a name can.
    read: ({ data }, { access }) => ({ id: data?.[0]?.id ?? access.slice(-6), name: data?.[0]?.name ?? 'MailerSend' }),
  },
  perMinute: 60,
  actions: {
    'list-domains': reads(
      'List domains',
      z.object({ limit: z.int().min(10).max(100).default(25).describe('How many, at most') }),
      ({ limit }) => ({ path: '/domains', query: { limit } }),
      ({ data }) =>
        listOf(data).map((each) =>
          row(each.id, each.name, { detail: each.is_verified ? 'Verified' : 'Not verified', at: each.created_at }),
        ),
    ),
    'send-mail': does(
      'Send a mail',
      'sends',
      z.object({
        from: field.email,
        from_name: field.optional('Name of the sender', 250),
        to: field.email,
        to_name: field.optional('Name of the recipient', 250),
        reply_to: field.email.optional(),
        subject: field.text('Subject', 500),
        text: field.text('Text', 200_000),
        html: field.optional('HTML', 450_000),
        tag: field.optional('A word to find it by', 60),
        list_unsubscribe: field.optional('Where one click unsubscribes', 1000),
      }),
      ({ from, from_name, to, to_name, reply_to, subject, text, html, tag, list_unsubscribe }) => ({
        method: 'POST',
        path: '/email',
        json: {
          from: { email: from, ...(from_name && { name: from_name }) },
          to: [{ email: to, ...(to_name && { name: to_name }) }],
          ...(reply_to && { reply_to: { email: reply_to } }),
          ...{ subject, text, ...(html && { html }), ...(tag && { tags: [tag] }), ...(list_unsubscribe && { list_unsubscribe }) },
        },
      }),
      () => made(null),
    ),
    'list-mails': reads(
      'List the mails of a domain',
      z.object({
        domain: field.text('Id of the domain', 60),
        from: z.int().describe('Sent after, in seconds since 1970'),
        to: z.int().describe('Sent before, in seconds since 1970'),
        page: z.int().min(1).max(1000).default(1).describe('Page'),
      }),
      ({ domain, from, to, page }) => ({
        path: `/activity/${encodeURIComponent(domain)}`,
        query: { limit: 100, page, date_from: from, date_to: to, 'event[]': 'sent' },
      }),
      ({ data }) =>
        listOf(data).map((each) => row(each.id, each.email?.subject ?? '', { detail: each.email?.tags?.join(' '), at: each.created_at })),
    ),
  },
}

const RETELL_LISTS: Record<string, string> = { '/assistant': '/v2/list-agents', '/call': '/v3/list-calls' }
/** Of agents it takes the limit as a parameter, of calls in the body. */
const retellList = ({ path, query }: AppRequest): Pick<AppRequest, 'method' | 'path' | 'query' | 'json'> =>
  path === '/call'
    ? { method: 'POST', path: RETELL_LISTS[path]!, query: {}, json: { ...query, sort_order: 'descending' } }
    : { method: 'POST', path: RETELL_LISTS[path] ?? path, json: {} }
/** Vapi answers a list, Retell a page of one. */
export const ofVoice = (answer: Answer): any[] => listOf(answer?.items ?? answer)
const isRetell = (fields?: Record<string, string>) => fields?.provider === 'retell'
export const voice: AppDefinition = {
  id: 'voice',
  api: ({ fields }) => (isRetell(fields) ? 'https://api.retellai.com' : 'https://api.vapi.ai'),
  who: {
    path: '/assistant',
    read: (_answer, { access, fields }) => ({
      id: `${fields?.provider ?? 'vapi'}:${access.slice(-6)}`,
      name: isRetell(fields) ? 'Retell' : 'Vapi',
    }),
  },
  // Retell has other paths for the same lists, and takes their filters in a body.
  sign: ({ access, fields }, request) => ({
    ...request,
    ...(isRetell(fields) && retellList(request)),
    headers: { ...request.headers, authorization: `Bearer ${access}` },
  }),
  perMinute: 60,
  actions: {
    'list-agents': reads(
      'List agents',
      z.object({}),
      () => ({ path: '/assistant' }),
      (agents) =>
        ofVoice(agents).map((each) =>
          row(each.agent_id ?? each.id, each.agent_name ?? each.name, { detail: each.channel ?? each.voice?.voiceId }),
        ),
    ),
    'list-calls': reads(
      'List calls',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ path: '/call', query: { limit } }),
      (calls) =>
        ofVoice(calls).map((each) =>
          row(each.call_id ?? each.id, each.call_status ?? each.status, {
            detail: each.disconnection_reason ?? each.endedReason,
            at: each.startedAt ?? (each.start_timestamp ? new Date(each.start_timestamp).toISOString() : null),
          }),
        ),
    ),
  },
}
