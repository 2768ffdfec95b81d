import { fileContracts } from '@operon/contracts/files'
import { budgetsOf, tiers } from '@operon/contracts/plans'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { erasesPeople } from '@operon/kit/erasure'
import { mountFiles } from '@operon/kit/files/mount'
import { fileTables } from '@operon/kit/files/schema'
import { laneTables } from '@operon/kit/lanes'
import type { ByTier } from '@operon/kit/meter'
import type { ServiceDefinition } from '@operon/kit/service'
import { sql } from 'kysely'
import { Config } from './config.ts'
import { erasureOf } from './erasure.ts'
import * as pictures from './migrations/0001_pictures.ts'
import { Progress } from './pictures/progress.ts'
import { pictureRoutes } from './pictures/routes.ts'
import { Providers, sandboxedProviders } from './providers/providers.ts'
import type { MediaDb } from './schema.ts'

export const mediaService: ServiceDefinition<MediaDb, Config> = {
  name: 'media',
  config: Config,
  migrations: { '0001_pictures': pictures, '0002_files': fileTables, '0003_lanes': laneTables },
  sandboxed: sandboxedProviders,
  setup(rt) {
    const sandbox = async () => (await rt.ask(sandboxAddress, { provider: 'openai' })).url
    pictureRoutes({
      rt,
      storage: rt.storage,
      providers: new Providers(rt.config, sandbox, rt.providers),
      budgets: Object.fromEntries(tiers.map((tier) => [tier, budgetsOf(tier).media!])) as ByTier,
      progress: new Progress(rt),
    })
    mountFiles(rt, fileContracts('media'), { kept: sql`exists (select from pictures p where p.id = files.id)` })
    erasesPeople(rt, erasureOf(rt))
  },
}
