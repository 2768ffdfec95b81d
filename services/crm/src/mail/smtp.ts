import { sandboxAddress } from '@operon/contracts/sandbox/events'
import type { Runtime } from '@operon/kit/service'
import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'

/** The configured server, else the sandbox's inbox, whose port changes with each start. */
export async function openTransport({ ask, config }: Runtime<CrmDb, Config>) {
  const url = new URL(config.SMTP_URL ?? (await ask(sandboxAddress, { provider: 'smtp' })).url)
  const { protocol, hostname, port, username, password } = url
  const secure = protocol === 'smtps:'
  return createTransport({
    host: hostname,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    ignoreTLS: !config.SMTP_URL,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  })
}
