import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startVendors } from './testing.ts'

const { dataDir, email, sent, tokenOf, tokensOf } = await startVendors()

// As in `vendors.proof.test.ts`, of SDKs that are not loaded for their types: Zoho's has none, and Google's are a million lines that every check would read.
const [googleAds, zoho]: any[] = await Promise.all(['google-ads-api', '@zohocrm/nodejs-sdk-8.0'].map((name) => import(name)))

// Its list of accounts is gRPC alone, so that the search, which is HTTP, is what is held to it.
test('Google Ads', async () => {
  const client = new googleAds.GoogleAdsApi({ client_id: 'operon', client_secret: 'secret', developer_token: 'dev' })
  const { refresh_token } = await tokensOf('google')
  const customer = client.Customer({ customer_id: '1234567890', refresh_token })
  // Of a field that Google's types do not have, the SDK says so and goes on.
  const unknown = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(
    await sent(async () => {
      const found = await customer.report({
        entity: 'campaign',
        attributes: ['campaign.id', 'campaign.name', 'campaign.status'],
        metrics: ['metrics.cost_micros', 'metrics.clicks'],
        search_settings: {},
      })
      expect(found[0]).toEqual({
        campaign: {
          resource_name: 'customers/1234567890/campaigns/11',
          id: 11,
          name: 'Brand search',
          status: googleAds.enums.CampaignStatus.ENABLED,
        },
        metrics: { cost_micros: 48_200_000, clicks: 312 },
      })
    }),
  ).toEqual(['POST oauth2.googleapis.com/token', 'POST googleads.googleapis.com/v26/customers/1234567890/googleAds:search'])
  expect(unknown.mock.calls).toEqual([])
})

test('Zoho', async () => {
  await initializeZoho(await tokenOf('zoho'))
  const { HeaderMap, ParameterMap } = zoho
  const { BodyWrapper, Field, GetRecordsHeader, GetRecordsParam, Record, RecordOperations, SearchRecordsParam } = zoho.Record
  const records = new RecordOperations('Contacts')
  const asked = async (param: unknown, value: unknown, map = new ParameterMap()) => {
    await map.add(param, value)
    return map
  }
  const rowsOf = (response: any) =>
    response
      .getObject()
      .getData()
      .map((each: any) => Object.fromEntries(each.getKeyValues()))
  expect(
    await sent(async () => {
      const users = (await new zoho.Users.UsersOperations().getUsers(new ParameterMap())).getObject()
      expect(users.getUsers()[0].getEmail()).toBe(email)

      const [lena, body] = [new Record(), new BodyWrapper()]
      lena.addFieldValue(Field.Contacts.FIRST_NAME, 'Lena')
      lena.addFieldValue(Field.Contacts.LAST_NAME, 'Vogt')
      lena.addFieldValue(Field.Contacts.EMAIL, 'lena@example.com')
      body.setData([lena])
      const [done] = (await records.createRecords(body, new HeaderMap())).getObject().getData()
      expect([done.getStatus().getValue(), done.getCode().getValue(), done.getMessage().getValue()]).toEqual([
        'success',
        'SUCCESS',
        'record added',
      ])
      const { id, Created_Time, Created_By } = Object.fromEntries(done.getDetails())
      expect([Created_Time, Created_By.getId()]).toEqual([expect.any(Date), users.getUsers()[0].getId()])

      const contact = { id: BigInt(id), Full_Name: 'Lena Vogt', Email: 'lena@example.com', Modified_Time: Created_Time }
      const found = await records.searchRecords(await asked(SearchRecordsParam.WORD, 'lena'))
      expect(rowsOf(found)).toEqual([contact])
      const { perPage, count, page, moreRecords } = found.getObject().getInfo()
      expect({ perPage, count, page, moreRecords }).toEqual({ perPage: 200, count: 1, page: 1, moreRecords: false })

      const fields = await asked(GetRecordsParam.FIELDS, 'Full_Name,Email,Modified_Time')
      const since = (at: number) => asked(GetRecordsHeader.IF_MODIFIED_SINCE, new Date(at), new HeaderMap())
      expect(rowsOf(await records.getRecords(fields, await since(Date.now() - 60_000)))).toEqual([contact])
      expect((await records.getRecords(fields, await since(Date.now() + 60_000))).getStatusCode()).toBe(304)
      expect((await records.searchRecords(await asked(SearchRecordsParam.WORD, 'nobody'))).getStatusCode()).toBe(204)

      const [deal] = rowsOf(await new RecordOperations('Deals').getRecords(await asked(GetRecordsParam.FIELDS, 'Deal_Name,Amount,Stage')))
      expect(deal).toMatchObject({ Deal_Name: 'Website for Maya', Amount: 2400, Stage: { value: 'Negotiation/Review' } })
    }),
  ).toEqual([
    'GET www.zohoapis.com/crm/v8/users',
    'GET www.zohoapis.com/crm/v8/settings/fields',
    'POST www.zohoapis.com/crm/v8/Contacts',
    'GET www.zohoapis.com/crm/v8/Contacts/search',
    'GET www.zohoapis.com/crm/v8/Contacts',
    'GET www.zohoapis.com/crm/v8/Contacts 304',
    'GET www.zohoapis.com/crm/v8/Contacts/search 204',
    'GET www.zohoapis.com/crm/v8/settings/fields',
    'GET www.zohoapis.com/crm/v8/Deals',
  ])
})

/** It keeps who calls for the whole process, and the fields of the modules in a folder. */
async function initializeZoho(accessToken: string): Promise<void> {
  const token = new zoho.OAuthBuilder().accessToken(accessToken).findUser(false).build()
  await (await new zoho.InitializeBuilder())
    .environment(zoho.USDataCenter.PRODUCTION())
    .token(token)
    .store(new zoho.FileStore(join(dataDir, 'zoho-tokens')))
    .SDKConfig(new zoho.SDKConfigBuilder().autoRefreshFields(false).pickListValidation(false).build())
    .resourcePath(dataDir)
    .logger(new zoho.LogBuilder().level(zoho.Levels.OFF).build())
    .initialize()
}
