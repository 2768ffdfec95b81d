import { MOST_WISHES } from '@operon/contracts/integrations/wishes'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'

const service = await startTestService(integrationsService)
afterAll(() => service.close())

const call = (user: TestUser, name: string, body: object) => service.call(name, user, body)

test('an app is asked for once by a person, however it is written, and staff see how many want it', async () => {
  const [ann, ben, staff] = [service.user(), service.user(), service.user({ app_metadata: { staff: true }, aal: 'aal2' })]
  const ask = (user: TestUser, name: string, wanted = '') => call(user, 'request-app', { name, wanted })
  expect((await ask(ann, 'Shop ify', 'Orders')).body).toEqual({ requested: true })
  await ask(ann, 'Shopify!', 'New orders as contacts')
  await ask(ben, 'Shopify')
  await ask(ben, 'Airtable', 'Tables')
  const { apps } = (await call(staff, 'staff-app-requests', { reason: 'Planning' })).body
  expect(apps.map(({ people, wanted }: any) => [people, wanted])).toEqual([
    [2, ['New orders as contacts']],
    [1, ['Tables']],
  ])
  expect(JSON.stringify(apps)).not.toContain(ann.id)
  expect((await call(ann, 'staff-app-requests', { reason: 'Planning' })).status).toBe(403)
})

test('what is in the library is not asked for, and there is an end to asking, also at once', async () => {
  const user = service.user()
  expect((await call(user, 'request-app', { name: 'hub spot' })).body).toMatchObject({
    code: 'app_exists',
    message: 'HubSpot is in the App Library already. Connect it there.',
  })
  const answers = await Promise.all(Array.from({ length: MOST_WISHES + 5 }, (_, n) => call(user, 'request-app', { name: `App ${n}` })))
  expect(answers.filter(({ status }) => status === 200).length).toBe(MOST_WISHES)
  expect(answers.find(({ status }) => status !== 200)!.body.code).toBe('app_requests_full')
  // A wish that was told already can still be said better.
  const kept = answers.findIndex(({ status }) => status === 200)
  expect((await call(user, 'request-app', { name: `App ${kept}`, wanted: 'More' })).status).toBe(200)
})
