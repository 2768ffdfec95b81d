import { expect, test } from 'vitest'
import { z } from 'zod'
import * as appointments from './crm/appointments.ts'
import * as booking from './crm/booking.ts'
import * as calendar from './crm/calendar.ts'
import * as contacts from './crm/contacts.ts'
import * as deals from './crm/deals.ts'
import * as campaigns from './crm/email/campaigns.ts'
import * as segments from './crm/email/segments.ts'
import * as senders from './crm/email/senders.ts'
import * as single from './crm/email/single.ts'
import * as forms from './crm/forms.ts'
import * as pipelines from './crm/pipelines.ts'
import * as factors from './identity/auth.ts'
import * as keys from './identity/keys.ts'
import * as passkeys from './identity/passkeys.ts'
import * as webhooks from './integrations/api.ts'
import * as drafts from './marketplace/api.ts'
import * as products from './marketplace/products.ts'
import * as reviews from './marketplace/reviews.ts'
import * as selling from './marketplace/selling.ts'
import * as boards from './media/boards.ts'
import { unlinked } from './names.ts'

// Shown beside our own words: in lists, on pages, at the top of an email.
const shown = [
  'name',
  'title',
  'label',
  'company',
  'job_title',
  'owner',
  'subject',
  'friendly_name',
  'business_name',
  'category',
  'item_type',
]
const modules = {
  appointments,
  booking,
  calendar,
  contacts,
  deals,
  campaigns,
  segments,
  senders,
  single,
  forms,
  pipelines,
  factors,
  keys,
  passkeys,
  webhooks,
  drafts,
  products,
  reviews,
  selling,
  boards,
}

const linesOf = (schema: unknown): [string, z.ZodType][] =>
  schema instanceof z.ZodObject ? Object.entries(schema.shape).filter(([key, value]) => shown.includes(key) && !isWords(value)) : []
/** Ids and fixed choices are not names. */
const isWords = (value: unknown) => !(value as z.ZodType).safeParse('Ada Love lace').success

const named = Object.entries(modules).flatMap(([home, all]) =>
  Object.entries(all).flatMap(([call, each]) =>
    linesOf((each as { kind?: string; body?: unknown }).kind === 'endpoint' ? (each as { body?: unknown }).body : null).map(
      ([field, schema]) => ({
        at: `${home} ${call} ${field}`,
        schema,
      }),
    ),
  ),
)

test('no address in a name stays one that an email program links', () => {
  expect(unlinked('Prize: https://evil.example/claim or www.evil.example')).toBe('Prize: https evil. example/claim or www. evil. example')
  expect(unlinked('Dr. Ines Ortega, No. 5, v2.0')).toBe('Dr. Ines Ortega, No. 5, v2.0')
})

test('every module has a name that is looked at', () => {
  for (const home of Object.keys(modules))
    expect(
      named.filter(({ at }) => at.startsWith(`${home} `)),
      home,
    ).not.toEqual([])
})

test.each(named)('$at is a line of bounded length, in which nothing turns or hides', ({ schema }) => {
  expect(schema.parse(' Ada\u202e\u0007 \u2066Love\r\nlace\u200b ')).toBe('Ada Love lace')
  expect(schema.safeParse('n'.repeat(301)).success).toBe(false)
})
