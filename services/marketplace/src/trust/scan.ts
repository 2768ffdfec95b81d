import { scanFile } from '@operon/contracts/marketplace/trust'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { scanWithClamd } from './clamav.ts'

/** Marks what the engine says on the file and on every version that holds it: what is infected is downloaded by nobody. */
export function scanFiles(rt: Runtime<MarketplaceDb, Config>) {
  rt.job(scanFile, async ({ db }, { payload: { file_id } }) => {
    const address = rt.config.CLAMAV
    if (!address) return
    const file = await db
      .selectFrom('files')
      .select(['key', 'scan'])
      .where('id', '=', file_id)
      .where('state', '=', 'ready')
      .executeTakeFirst()
    if (file?.scan !== 'none') return
    const { body } = await rt.storage.get(file.key)
    const scan = await rt.providers.call('clamav', () => scanWithClamd(address, body))
    await db.updateTable('files').set({ scan }).where('id', '=', file_id).execute()
    await db.updateTable('version_files').set({ scan }).where('file_id', '=', file_id).execute()
    if (scan === 'infected') rt.log.warn({ file_id }, 'malware was found in a file: it can be neither sold nor downloaded')
  })
}
