import { fileContracts } from '@operon/contracts/files'
import { budgetsOf, speechBudgetOf, tiers } from '@operon/contracts/plans'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { erasesPeople } from '@operon/kit/erasure'
import { mountFiles } from '@operon/kit/files/mount'
import { fileTables } from '@operon/kit/files/schema'
import { laneTables } from '@operon/kit/lanes'
import type { ByTier } from '@operon/kit/meter'
import type { ServiceDefinition } from '@operon/kit/service'
import { metersTopUps } from '@operon/kit/top-ups'
import { sql } from 'kysely'
import { Config } from './config.ts'
import { erasureOf } from './erasure.ts'
import * as pictures from './migrations/0001_pictures.ts'
import * as speech from './migrations/0004_speech.ts'
import * as edits from './migrations/0005_edits.ts'
import * as voice from './migrations/0006_voice.ts'
import * as months from './migrations/0010_months.ts'
import * as monthsDone from './migrations/0011_months_done.ts'
import * as wakeWord from './migrations/0020_wake_word.ts'
import * as boards from './migrations/0120_boards.ts'
import * as publicPictures from './migrations/0121_public_pictures.ts'
import * as foundByWords from './migrations/0130_found_by_words.ts'
import { openaiRoutes } from './openai/routes.ts'
import { Progress } from './pictures/progress.ts'
import { pictureRoutes } from './pictures/routes.ts'
import { previewed } from './previewed.ts'
import { Providers, sandboxedProviders } from './providers/providers.ts'
import { openModeration } from './safety/moderation.ts'
import type { MediaDb } from './schema.ts'
import { byTier } from './speech/deps.ts'
import { SpeechProviders, sandboxedSpeech } from './speech/providers.ts'
import { speechRoutes } from './speech/routes.ts'

export const mediaService: ServiceDefinition<MediaDb, Config> = {
  name: 'media',
  config: Config,
  previewed,
  migrations: {
    '0001_pictures': pictures,
    '0002_files': fileTables,
    '0003_lanes': laneTables,
    '0004_speech': speech,
    '0005_edits': edits,
    '0006_voice': voice,
    '0010_months': months,
    '0011_months_done': monthsDone,
    '0020_wake_word': wakeWord,
    '0120_boards': boards,
    '0121_public_pictures': publicPictures,
    '0130_found_by_words': foundByWords,
  },
  sandboxed: (config) => [...new Set([...sandboxedProviders(config), ...sandboxedSpeech(config)])],
  setup(rt) {
    const sandbox = async () => (await rt.ask(sandboxAddress, { provider: 'openai' })).url
    const drawing = {
      rt,
      storage: rt.storage,
      providers: new Providers(rt.config, sandbox, rt.providers),
      budgets: Object.fromEntries(tiers.map((tier) => [tier, budgetsOf(tier).media!])) as ByTier,
      progress: new Progress(rt),
      moderation: openModeration(rt.config, rt.providers),
    }
    metersTopUps(rt, 'media')
    if (!drawing.moderation.isOn)
      rt.onStart(() => rt.log.info('MODERATION_BASE_URL is not set: no moderation engine checks pictures, only the models refuse'))
    pictureRoutes(drawing)
    const speaking = {
      rt,
      providers: new SpeechProviders(rt.config, sandbox, rt.providers),
      budgets: byTier(speechBudgetOf),
      running: new Map(),
    }
    speechRoutes(speaking)
    openaiRoutes(drawing, speaking)
    mountFiles(rt, fileContracts('media'), {
      kept: sql`exists (select from pictures p where p.id = files.id)`,
      hidden: sql`exists (select from pictures p where p.id = files.id and p.deleted_at is not null)`,
    })
    erasesPeople(rt, erasureOf(rt))
  },
}
