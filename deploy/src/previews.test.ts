import { aiGatewayService } from '@operon/ai-gateway/service'
import { analyticsService } from '@operon/analytics/service'
import { billingService } from '@operon/billing/service'
import { type Capability, capabilitiesOf, contracts } from '@operon/contracts/registry'
import { crmService } from '@operon/crm/service'
import { integrationsService } from '@operon/integrations/service'
import { newId } from '@operon/kit/ids'
import { idsIn } from '@operon/kit/previews'
import type { ServiceDefinition } from '@operon/kit/service'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { marketplaceService } from '@operon/marketplace/service'
import { mediaService } from '@operon/media/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'

// The previews that a person reads before they approve a step, of actions in several services. Nothing here has a preview function of its own.

const services: ServiceDefinition[] = [
  ...[aiGatewayService, crmService, marketplaceService, integrationsService, mediaService, billingService, analyticsService],
]
const platform = await startTestPlatform([...services, sandboxService], { SANDBOX_MODEL_PACE_MS: '0' })
afterAll(() => platform.close())

const db = (service: 'crm' | 'marketplace') => platform.services[service]!.rt.db as any
const { call } = platform
const propose = (user: TestUser, ...steps: object[]) => call('propose-actions', user, { steps })
const previewOf = async (user: TestUser, action: string, input: object) =>
  (await propose(user, { action, input })).body.approval?.steps[0].preview

async function addContact(user: TestUser, more: object = {}) {
  const id = newId()
  await db('crm')
    .insertInto('leads')
    .values({ id, user_id: user.id, name: 'Ada Lovelace', email: `${id}@example.com`, ...more })
    .execute()
  return id
}
const asks = ({ contract: { action }, effect }: Capability) => effect !== 'reads' && !(effect === 'changes' && action.undo)

test('every action that asks has a preview, or says why nothing can be known before', () => {
  const bare = capabilitiesOf(contracts)
    .filter(asks)
    .filter(({ service, unit, contract }) => {
      const { preview, noPreview } = contract.action
      const tables = Object.values(services.find(({ name }) => name === service)?.previewed ?? {})
      const isShown = Object.values(idsIn(contract)).some((id) => tables.some((table) => table.id === id))
      return !(preview || noPreview || unit || isShown || contract.idempotent === true)
    })
  expect(bare.map(({ name }) => name)).toEqual([])
})

test('every id that such an action takes leads to rows that its preview can show', async () => {
  const unknown = capabilitiesOf(contracts)
    .filter((each) => asks(each) && !each.contract.action.preview && !each.contract.action.noPreview)
    .flatMap(({ name, service, contract }) => {
      const tables = Object.values(services.find((each) => each.name === service)?.previewed ?? {})
      return Object.values(idsIn(contract)).flatMap((id) => (tables.some((table) => table.id === id) ? [] : [`${name}: ${id}`]))
    })
  expect(unknown).toEqual([])
  for (const { name, previewed = {} } of services)
    for (const [table, { shows = {}, id, owner = 'user_id', deletedAt }] of Object.entries(previewed)) {
      const columns = [...Object.keys(shows), ...(id || Object.keys(shows).length ? ['id', owner] : []), ...(deletedAt ? [deletedAt] : [])]
      const rows = (platform.services[name]!.rt.db as any).selectFrom(table).limit(0)
      await (columns.length ? rows.select(columns) : rows.selectAll()).execute()
    }
})

test('a change is tried out: the row before and after, and nothing has changed', async () => {
  const user = platform.user()
  const contact_id = await addContact(user)
  const was = await db('crm').selectFrom('leads').selectAll().where('id', '=', contact_id).executeTakeFirstOrThrow()
  const preview = await previewOf(user, 'update-contact', { contact_id, status: 'qualified', company: 'Analytical Engines' })
  expect(preview).toEqual({
    about: [`Contact: Ada Lovelace, ${contact_id}@example.com`],
    changes: ['Company: none → Analytical Engines', 'Status: cold → qualified'],
    adds: ['Company: Analytical Engines, example.com', 'Timeline entry: Status changed from cold to qualified'],
  })
  expect(await db('crm').selectFrom('leads').selectAll().where('id', '=', contact_id).executeTakeFirst()).toEqual(was)
  expect(await db('crm').selectFrom('outbox').select('id').where('user_id', '=', user.id).execute()).toEqual([])
})

test('of a long list the first are named and the rest counted', async () => {
  const user = platform.user()
  const contact_ids: string[] = []
  for (let n = 0; n < 12; n++) contact_ids.push(await addContact(user))
  const preview = await previewOf(user, 'edit-contacts', { contact_ids, status: 'qualified' })
  expect(preview.about).toHaveLength(11)
  expect(preview.about.at(-1)).toBe('and 2 more contacts')
  expect(preview.changes).toHaveLength(11)
  expect(preview.changes[0]).toMatch(/^Ada Lovelace, .*Status: cold → qualified$/)
  expect(preview.changes.at(-1)).toBe('and 2 more contacts')
})

test('what would be deleted is named and counted, and a row of somebody else is none', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const contact_id = await addContact(ann)
  const preview = await previewOf(ann, 'delete-contact', { contact_id })
  expect(preview).toEqual({ about: [`Contact: Ada Lovelace, ${contact_id}@example.com`], deletes: ['1 contact'] })
  expect((await propose(bob, { action: 'delete-contact', input: { contact_id } })).status).toBe(404)
  expect(await db('crm').selectFrom('leads').select('id').where('id', '=', contact_id).execute()).toHaveLength(1)
})

test('what has changed since it was read is refused, and read again', async () => {
  const user = platform.user()
  const contact_id = await addContact(user)
  const { body } = await propose(user, { action: 'delete-contact', input: { contact_id } })
  await db('crm').updateTable('leads').set({ name: 'Ada King' }).where('id', '=', contact_id).execute()
  const refused = await call('approve-actions', user, { approval_id: body.approval.id })
  expect([refused.status, refused.body.code]).toEqual([409, 'approval_changed'])
  expect((await call('approve-actions', user, { approval_id: body.approval.id })).status).toBe(200)
  await expect.poll(() => db('crm').selectFrom('leads').select('id').where('id', '=', contact_id).execute()).toEqual([])
})

test('what would be made is named, and a refusal comes before the approval', async () => {
  const user = platform.user()
  const product = { title: 'Budget planner', description: 'A sheet.', price_cents: 1900, category: 'Templates', item_type: 'template' }
  const { body } = await propose(user, { action: 'create-product', input: product })
  expect(body.approval?.steps[0].preview ?? body).toMatchObject({ adds: ['Product: Budget planner, $19.00'] })
  expect(await db('marketplace').selectFrom('items').select('id').where('user_id', '=', user.id).execute()).toEqual([])
  const coupon = { code: 'SPRING', percent_off: 20 }
  expect(await previewOf(user, 'create-coupon', coupon)).toMatchObject({ adds: ['Coupon: SPRING, 20'] })
})

test('what uses an allowance says what is left of it', async () => {
  const user = platform.user()
  expect((await previewOf(user, 'suggest-names', { description: 'A bakery in Lisbon' }))?.left).toMatch(
    /^[\d,]+ of [\d,]+ prompts left$|^Unlimited/,
  )
})
