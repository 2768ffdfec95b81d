import type { ServiceName } from '@operon/contracts/services'
import { NOBODY } from '@operon/kit/erasure'
import type { TestPlatform } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import type { Ids } from './calls.ts'
import { KNOWN_PRODUCT } from './values.ts'

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
  return {
    ownerId,
    aRow: await ofOwner('ai-gateway', 'ai_messages', 'id', 'user_id'),
    anEndpoint: await ofOwner('integrations', 'webhook_deliveries', 'endpoint_id', 'user_id'),
    aSale: await ofOwner('billing', 'sales', 'id', 'seller_id'),
    aProduct: KNOWN_PRODUCT,
    aShare: /[^/]+$/.exec(url ?? '/none')![0],
  }
}
