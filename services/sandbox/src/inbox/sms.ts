import { createHash } from 'node:crypto'
import type { MessageListInstanceCreateOptions } from 'twilio/lib/rest/api/v2010/account/message.js'
import { form, json, type Route, route, type WireRequest } from '../core/wire.ts'
import type { Inbox } from './inbox.ts'

type Taken = Capitalize<keyof MessageListInstanceCreateOptions>
/** Every parameter of Twilio's own types, so that a new version of them is seen here. */
const taken: Record<Taken, true> = {
  To: true,
  StatusCallback: true,
  ApplicationSid: true,
  MaxPrice: true,
  ProvideFeedback: true,
  Attempt: true,
  ValidityPeriod: true,
  ForceDelivery: true,
  ContentRetention: true,
  AddressRetention: true,
  SmartEncoded: true,
  PersistentAction: true,
  TrafficType: true,
  ShortenUrls: true,
  ScheduleType: true,
  SendAt: true,
  SendAsMms: true,
  ContentVariables: true,
  MessageIntent: true,
  RiskCheck: true,
  From: true,
  FallbackFrom: true,
  MessagingServiceSid: true,
  Body: true,
  MediaUrl: true,
  ContentSid: true,
}

/** Twilio's numbers to test with: each is refused for a reason of its own. */
const magic: Record<string, [code: number, message: string]> = {
  '+15005550001': [21211, "The 'To' number +15005550001 is not a valid phone number."],
  '+15005550002': [21612, "The 'To' phone number: +15005550002, is not currently reachable using the 'From' phone number."],
  '+15005550003': [21408, "Permission to send an SMS has not been enabled for the region indicated by the 'To' number: +15005550003."],
  '+15005550004': [21610, 'Attempt to send to unsubscribed recipient'],
  '+15005550009': [21614, "'To' number is not a valid mobile number"],
}

/** Text messages on Twilio's wire: `POST /2010-04-01/Accounts/:sid/Messages.json`. */
export function smsRoutes(inbox: Inbox): Route[] {
  return [route('POST', '/2010-04-01/Accounts/:sid/Messages.json', (request) => sendSms(inbox, request))]
}

function sendSms(inbox: Inbox, request: WireRequest) {
  if (!request.headers.authorization?.startsWith('Basic ')) return failure(401, 20003, 'Authenticate')
  const fields = form(request)
  const unknown = [...fields.keys()].find((name) => !Object.hasOwn(taken, name))
  // Twilio only warns of it (20001) and sends; here a misspelt parameter is to be seen before it costs a message.
  if (unknown) return failure(400, 20001, `Unknown parameter: ${unknown}`)
  const to = fields.get('To')
  const body = fields.get('Body')
  const from = fields.get('From') ?? fields.get('MessagingServiceSid')
  if (!to || !/^\+[1-9]\d{6,14}$/.test(to)) return failure(400, 21211, `The 'To' number ${to ?? ''} is not a valid phone number.`)
  const refused = magic[to]
  if (refused) return failure(400, ...refused)
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
  const sid = `SM${createHash('sha256').update(kept.id).digest('hex').slice(0, 32)}`
  const account = request.params.sid
  const uri = `/2010-04-01/Accounts/${account}/Messages/${sid}`
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
      subresource_uris: { media: `${uri}/Media.json` },
      to,
      uri: `${uri}.json`,
    },
    201,
  )
}

const failure = (status: number, code: number, message: string) =>
  json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, status)
