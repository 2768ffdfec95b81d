import { sandboxDeletes, sandboxForms, sandboxHome, sandboxPages } from '@operon/contracts/sandbox/api'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { SetupError, sandboxIsOpen } from '@operon/kit/config'
import { serveRaw } from '@operon/kit/http'
import type { ServiceDefinition } from '@operon/kit/service'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SandboxConfig } from './config.ts'
import { startSandbox } from './sandbox.ts'

/** The sandbox as a service of the fleet: its pages behind the gateway, its addresses on the bus. */
export const sandboxService: ServiceDefinition<object, SandboxConfig> = {
  name: 'sandbox',
  config: SandboxConfig,
  migrations: {},
  async setup(rt) {
    const { config, kit } = rt
    if (!sandboxIsOpen(kit))
      throw new SetupError(
        `SANDBOX_KEY: the sandbox reads everybody's mail and moves money that is none, so it does not run at ${kit.PUBLIC_URL} beside real people. Leave this service out, or set SANDBOX_KEY (20 characters or more) if this is a demonstration`,
      )
    const sandbox = await startSandbox({
      dataDir: kit.DATA_DIR,
      publicUrl: kit.PUBLIC_URL,
      host: config.SANDBOX_HOST,
      pace: config.SANDBOX_MODEL_PACE_MS,
      // As the service that hears of answers derives it, where no provider of mail is set.
      inboundMail: {
        url: `${rt.env.WEBHOOK_BASE_URL || kit.PUBLIC_URL}/webhooks/mail/mailgun`,
        key: rt.vault.derive('inbound mail').toString('hex'),
      },
      onError: (err) => rt.log.error({ err }, 'a stand-in failed'),
      ...(config.SANDBOX_PORT_BASE && { portBase: config.SANDBOX_PORT_BASE }),
      ...(kit.SANDBOX_KEY && { key: kit.SANDBOX_KEY }),
      ...(config.SANDBOX_SEED && { seed: config.SANDBOX_SEED }),
    })
    rt.onStop(() => sandbox.close())
    rt.answer(sandboxAddress, async (_ctx, { provider }) => ({ url: sandbox.addresses[provider] }))
    const show = async (_ctx: unknown, _input: unknown, reply: FastifyReply, request: FastifyRequest) => {
      const { pathname, searchParams } = new URL(request.url, 'http://sandbox')
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const answer = await sandbox.handle({
        method: request.method,
        path: pathname,
        query: searchParams,
        headers: request.headers,
        body,
        params: {},
      })
      return reply
        .code(answer.status ?? 200)
        .headers(answer.headers ?? {})
        .send(answer.body ?? '')
    }
    for (const contract of [sandboxHome, sandboxPages, sandboxForms, sandboxDeletes]) serveRaw(rt.app, contract, show)
  },
}
