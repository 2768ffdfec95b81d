import type { ServiceName } from '@operon/contracts/services'
import { NOBODY } from '@operon/kit/erasure'
import type { TestPlatform } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import type { Ids } from './calls.ts'
import { KNOWN_PIPELINE, KNOWN_PRODUCT, LONG_CAMPAIGN, LONG_SEQUENCE } from './values.ts'

/** Where the owner has a row of the kind that a contract names by `id('…')`: its table there, and whose it is. */
const ROWS: Partial<Record<ServiceName, Record<string, [table: string, owner: string]>>> = {
  billing: {
    sale: ['sales', 'seller_id'],
    payout: ['payouts', 'seller_id'],
    document: ['documents', 'user_id'],
    top_up: ['top_ups', 'user_id'],
  },
  marketplace: {
    order: ['orders', 'seller_id'],
    thread: ['threads', 'seller_id'],
    upload: ['files', 'user_id'],
    document: ['orders', 'buyer_id'],
  },
  integrations: {
    connection: ['connections', 'user_id'],
    webhook_endpoint: ['webhook_endpoints', 'user_id'],
    webhook_delivery: ['webhook_deliveries', 'user_id'],
  },
  'ai-gateway': { message: ['ai_messages', 'user_id'] },
  media: { board: ['boards', 'user_id'], picture: ['pictures', 'user_id'] },
  crm: {
    lead: ['leads', 'user_id'],
    company: ['companies', 'user_id'],
    stage: ['pipeline_stages', 'user_id'],
    deal: ['deals', 'user_id'],
    lead_form: ['lead_forms', 'user_id'],
    import: ['import_runs', 'user_id'],
    segment: ['email_segments', 'user_id'],
    email_topic: ['email_topics', 'user_id'],
    sender: ['email_senders', 'user_id'],
    notion_sync: ['notion_syncs', 'user_id'],
    notion_link: ['notion_links', 'user_id'],
  },
}

/** Of rows that the owner has, so that whatever shows one finds it. `share` answers a picture's link. */
export async function idsOfOwner(platform: TestPlatform, ownerId: string, share: (picture: string) => Promise<string>): Promise<Ids> {
  const ofOwner = async (service: ServiceName, table: string, column: string, owner: string) => {
    const { rows } = await sql<{ id: string }>`
      select ${sql.ref(column)} as id from ${sql.table(table)} where ${sql.ref(owner)} = ${ownerId} limit 1`.execute(
      platform.services[service]!.rt.db,
    )
    return rows[0]?.id ?? NOBODY
  }
  const { url } = JSON.parse(await share(await ofOwner('media', 'pictures', 'id', 'user_id'))) as { url?: string }
  const rows: Ids['rows'] = {
    'identity user': ownerId,
    'marketplace item': KNOWN_PRODUCT,
    'crm campaign': LONG_CAMPAIGN,
    'crm sequence': LONG_SEQUENCE,
    'crm pipeline': KNOWN_PIPELINE,
  }
  for (const [service, kinds] of Object.entries(ROWS))
    for (const [kind, [table, owner]] of Object.entries(kinds))
      if (platform.services[service]) rows[`${service} ${kind}`] = await ofOwner(service as ServiceName, table, 'id', owner)
  return {
    ownerId,
    rows,
    aRow: await ofOwner('ai-gateway', 'ai_messages', 'id', 'user_id'),
    anEndpoint: await ofOwner('integrations', 'webhook_deliveries', 'endpoint_id', 'user_id'),
    aSale: await ofOwner('billing', 'sales', 'id', 'seller_id'),
    aProduct: KNOWN_PRODUCT,
    aShare: /[^/]+$/.exec(url ?? '/none')![0],
  }
}
