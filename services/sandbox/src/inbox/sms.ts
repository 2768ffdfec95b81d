import { form, json, type Route, route, type WireRequest } from '../core/wire.ts'
import type { Inbox } from './inbox.ts'

/** Text messages on Twilio's wire: `POST /2010-04-01/Accounts/:sid/Messages.json`. */
export function smsRoutes(inbox: Inbox): Route[] {
  return [route('POST', '/2010-04-01/Accounts/:sid/Messages.json', (request) => sendSms(inbox, request))]
}

function sendSms(inbox: Inbox, request: WireRequest) {
  if (!request.headers.authorization?.startsWith('Basic ')) return failure(401, 20003, 'Authenticate')
  const fields = form(request)
  const to = fields.get('To')
  const body = fields.get('Body')
  const from = fields.get('From') ?? fields.get('MessagingServiceSid')
  if (!to || !/^\+[1-9]\d{6,14}$/.test(to)) return failure(400, 21211, `The 'To' number ${to ?? ''} is not a valid phone number.`)
  if (!from) return failure(400, 21603, "A 'From' phone number is required.")
  if (!body) return failure(400, 21602, 'Message body is required.')
  const kept = inbox.keep({
    kind: 'sms',
    from,
    from_name: '',
    to: [to],
    subject: body.slice(0, 60),
    text: body,
    html: null,
    message_id: null,
    headers: {},
    attachments: [],
  })
  const now = new Date().toUTCString()
  const sid = kept.id.replace('msg_', 'SM').padEnd(34, '0')
  const account = request.params.sid
  return json(
    {
      sid,
      account_sid: account,
      api_version: '2010-04-01',
      body,
      date_created: now,
      date_sent: null,
      date_updated: now,
      direction: 'outbound-api',
      error_code: null,
      error_message: null,
      from,
      messaging_service_sid: fields.get('MessagingServiceSid'),
      num_media: '0',
      num_segments: String(Math.ceil(body.length / 160)),
      price: null,
      price_unit: 'USD',
      status: 'queued',
      to,
      uri: `/2010-04-01/Accounts/${account}/Messages/${sid}.json`,
    },
    201,
  )
}

const failure = (status: number, code: number, message: string) =>
  json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, status)
