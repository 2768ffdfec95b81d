import * as identity from '@operon/contracts/identity/events'
import { SetupError, sandboxIsOpen } from '@operon/kit/config'
import { openMailer } from '@operon/kit/mail/mailer'
import { messagePaces, watchLoad } from '@operon/kit/mail/paces'
import { openTexter } from '@operon/kit/mail/texts'
import type { ServiceDefinition } from '@operon/kit/service'
import { sweepDemos } from './account/demo.ts'
import { measureErasures } from './account/erasures.ts'
import { makeExport } from './account/exports.ts'
import { accountRoutes } from './account/routes.ts'
import { forgetLog, sweepAccounts } from './account/sweep.ts'
import { forgetTraces } from './account/traces.ts'
import { adminRoutes } from './admin/routes.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { IdentityConfig } from './config.ts'
import { type Deps, withDeps } from './deps.ts'
import { finishRecovery } from './factors/recovery.ts'
import { factorRoutes } from './factors/routes.ts'
import { loadKeys } from './keys/keys.ts'
import { verification } from './keys/verification.ts'
import { platformPaces } from './mail/pacing.ts'
import { answerMailRequest } from './mail/requests.ts'
import { sendMail, sendNotice, sendSms } from './mail/send.ts'
import * as accounts from './migrations/0001_accounts.ts'
import * as erasures from './migrations/0002_erasures.ts'
import * as terms from './migrations/0003_terms.ts'
import * as readIndexes from './migrations/0004_read_indexes.ts'
import * as factorTimes from './migrations/0005_factor_times.ts'
import * as claims from './migrations/0006_claims.ts'
import * as stepUp from './migrations/0008_step_up.ts'
import * as apiKeys from './migrations/0009_api_keys.ts'
import * as serviceTokens from './migrations/0010_service_tokens.ts'
import * as demos from './migrations/0011_demos.ts'
import * as oauthServer from './migrations/0012_oauth_server.ts'
import * as endedSessions from './migrations/0013_ended_sessions.ts'
import * as boundedReads from './migrations/0014_bounded_reads.ts'
import * as passkeys from './migrations/0015_passkeys.ts'
import * as exportFiles from './migrations/0016_exports.ts'
import * as erasuresByTime from './migrations/0017_erasures_by_time.ts'
import * as foundByReference from './migrations/0018_found_by_reference.ts'
import * as lists from './migrations/0030_lists.ts'
import { openProviders, playsProviders } from './oauth/providers.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { oauthServerRoutes } from './oauth-server/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { createHasher } from './passwords/hashing.ts'
import { roleRoutes } from './roles/routes.ts'
import type { IdentityDb } from './schema.ts'
import { userRoutes } from './users/routes.ts'
import { countPeople, keptOut, lookUpUser, staffPeople } from './users/users.ts'

export const identityService: ServiceDefinition<IdentityDb, IdentityConfig> = {
  name: 'identity',
  config: IdentityConfig,
  migrations: {
    '0001_accounts': accounts,
    '0002_erasures': erasures,
    '0003_terms': terms,
    '0004_read_indexes': readIndexes,
    '0005_factor_times': factorTimes,
    '0006_claims': claims,
    '0007_message_paces': messagePaces,
    '0008_step_up': stepUp,
    '0009_api_keys': apiKeys,
    '0010_service_tokens': serviceTokens,
    '0011_demos': demos,
    '0012_oauth_server': oauthServer,
    '0013_ended_sessions': endedSessions,
    '0014_bounded_reads': boundedReads,
    '0015_passkeys': passkeys,
    '0016_exports': exportFiles,
    '0017_erasures_by_time': erasuresByTime,
    '0018_found_by_reference': foundByReference,
    '0030_lists': lists,
  },
  sandboxed: (config) => [
    ...(config.SMTP_URL ? [] : ['smtp' as const]),
    ...(config.SMS_API_URL ? [] : ['sms' as const]),
    ...(playsProviders(config) ? ['oauth' as const] : []),
  ],
  async setup(rt) {
    const autoconfirm = (['AUTH_AUTOCONFIRM', 'AUTH_PHONE_AUTOCONFIRM'] as const).find((name) => rt.config[name])
    if (autoconfirm && !sandboxIsOpen(rt.kit))
      throw new SetupError(
        `${autoconfirm}: anybody could claim any address at ${rt.kit.PUBLIC_URL}. Take it out, or set SANDBOX_KEY if this is a demonstration`,
      )
    const deps: Deps = {
      rt,
      config: rt.config,
      keys: await loadKeys(rt),
      hasher: createHasher(),
      oauth: openProviders(rt),
      mailer: openMailer(rt),
      texter: openTexter(rt),
    }
    const run = withDeps(deps)

    userRoutes(deps)
    roleRoutes(deps)
    factorRoutes(deps)
    passkeyRoutes(deps)
    oauthRoutes(deps)
    adminRoutes(deps)
    accountRoutes(deps)
    apiKeyRoutes(deps)
    oauthServerRoutes(deps)

    rt.answer(identity.verification, run(verification))
    rt.answer(identity.lookUpUser, run(lookUpUser))
    rt.answer(
      identity.staffPeople,
      run((ctx) => staffPeople(ctx, rt.config.AUTH_STAFF_EMAILS)),
    )
    rt.answer(identity.keptOut, run(keptOut))
    rt.answer(identity.countPeople, run(countPeople))
    rt.job(identity.sendMail, (_ctx, job) => sendMail(deps, job), { concurrency: 4 })
    rt.job(identity.sendSms, (_ctx, job) => sendSms(deps, job))
    rt.job(identity.sendNotice, (_ctx, job) => sendNotice(deps, job))
    rt.job(identity.requestMail, run(answerMailRequest))
    rt.job(identity.finishFactorRecovery, run(finishRecovery))
    rt.job(identity.makeExport, run(makeExport), { concurrency: 2 })
    rt.job(identity.forgetTraces, run(forgetTraces))
    rt.job(identity.sweep, run(sweepAccounts), { everyMs: 3_600_000 })
    rt.job(identity.forgetHistory, run(forgetLog), { cron: '29 3 * * *' })
    rt.job(identity.sweepDemos, run(sweepDemos), { everyMs: 300_000 })
    watchLoad(rt, platformPaces(rt.config))
    rt.measure(async () => void (await measureErasures(Object.assign(rt.ctx(), { deps }))))
    // An instance that starts may have other keys than the one before it.
    rt.onStart(() => rt.broadcast(identity.keysChanged, {}))
    rt.onStop(deps.mailer.close)
    // Once the last request is answered: a drain lets a sign-in finish.
    rt.app.addHook('onClose', deps.hasher.close)
  },
}
