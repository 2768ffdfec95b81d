import type { Env } from '@operon/kit/config'
import { startTestPlatform, type TestPlatform } from '@operon/kit/testing/service'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { vi } from 'vitest'
import { identityService } from '../service.ts'

export const PASSWORD = 'Tr1cky-horse-battery'
export const SERVICE_KEY = 'test-service-key-0123456789'

/** Messages go at once, as many as a test asks for. */
export const unpaced = {
  LIMIT_MESSAGE_COOLDOWN_SECONDS: '0',
  ...Object.fromEntries(
    [
      'SMS',
      'MAIL_FROM_NETWORK',
      'SMS_FROM_NETWORK',
      'MAIL_TO_DOMAIN',
      'SMS_TO_COUNTRY',
      'SMS_TO_BLOCK',
      'MAIL_PLATFORM',
      'SMS_PLATFORM',
    ].map((name) => [`LIMIT_${name}_PER_HOUR`, '100000']),
  ),
}

export type IdentityTest = TestPlatform & {
  base: string
  client(options?: Record<string, unknown>): SupabaseClient
  admin(): SupabaseClient
}

/** Identity over real HTTP, and the unmodified client for it. */
export async function startIdentity(env: Env = {}, more: Parameters<typeof startTestPlatform>[0] = []): Promise<IdentityTest> {
  const platform = await startTestPlatform([identityService, ...more], {
    AUTH_AUTOCONFIRM: 'true',
    LIMIT_SIGN_UP_PER_MINUTE: '1000',
    LIMIT_APPS_PER_MINUTE: '1000',
    LIMIT_SIGN_IN_PER_MINUTE: '1000',
    LIMIT_VERIFY_PER_MINUTE: '1000',
    ...unpaced,
    AUTH_ERASING_SERVICES: 'none',
    ...env,
  })
  const base = platform.url('identity')
  const client = (options: Record<string, unknown> = {}) =>
    createClient(base, 'anon', {
      auth: { persistSession: true, storage: memory(), autoRefreshToken: false, detectSessionInUrl: false, ...options },
    })
  const admin = () => createClient(base, SERVICE_KEY, { auth: { persistSession: false, autoRefreshToken: false } })
  return { ...platform, base, client, admin }
}

export function memory() {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

let count = 0
export const newEmail = (name = 'person') => `${name}-${Date.now().toString(36)}-${++count}@example.com`

export async function signedUp(platform: IdentityTest, email = newEmail()) {
  const client = platform.client()
  const { data, error } = await client.auth.signUp({
    email,
    password: PASSWORD,
    options: { data: { name: 'Ada Lovelace', referral_code: 'REF1', accept_terms: true, accept_marketing: false } },
  })
  if (error || !data.session || !data.user) throw error ?? new Error('no session')
  return { client, email, user: data.user, session: data.session }
}

export type Message = { id: string; subject: string; text: string; html: string | null; message_id: string | null; links: string[] }

/** The messages that the sandbox delivered to this address. */
export function inboxAt(url: string) {
  const mails = async (to: string): Promise<Message[]> =>
    ((await (await fetch(`${url}/sandbox/api/inbox?to=${encodeURIComponent(to)}`)).json()) as { messages: Message[] }).messages
  /** The newest mail to an address whose subject fits, once it is there. */
  const mail = (to: string, subject = /./): Promise<Message> =>
    vi.waitFor(async () => {
      const found = (await mails(to)).find((message) => subject.test(message.subject))
      if (!found) throw new Error(`no mail to ${to} like ${subject}`)
      return found
    })
  return { mails, mail }
}

/** Identity with the sandbox's inbox and consent pages, and a browser that knows where each is. */
export async function startWithSandbox(env: Env = {}) {
  const { sandboxService } = await import('@operon/sandbox/service')
  const platform = await startIdentity(env, [sandboxService])
  const home = platform.infra.config.PUBLIC_URL
  const real = (url: string) => url.replace(home, new URL(url).pathname.startsWith('/sandbox') ? platform.url('sandbox') : platform.base)
  return { ...platform, real, ...inboxAt(platform.url('sandbox')) }
}
export type WithSandbox = Awaited<ReturnType<typeof startWithSandbox>>

export const linkIn = (message: Message) => message.links.find((link) => link.includes('/auth/v1/verify'))!.replaceAll('&amp;', '&')
export const codeIn = (message: Message) => /\b(\d{6})\b/.exec(message.text)![1]!

/** Follows a link as a person would in a browser, the button of its page included, without going on to the app: where it was sent. */
export async function click(
  platform: { real(url: string): string },
  url: string,
  cookies: Record<string, string> = {},
  typed: Record<string, string> = {},
): Promise<URL> {
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  const headers = { ...(cookie && { cookie }) }
  const opened = await fetch(platform.real(url), { redirect: 'manual', headers })
  const form = opened.headers.get('content-type')?.startsWith('text/html') ? formIn(await opened.text()) : null
  const response = form
    ? await fetch(platform.real(new URL(form.action, url).href), {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...form.fields, ...typed }),
      })
    : opened
  for (const line of response.headers.getSetCookie()) {
    const [name, value] = line.split(';')[0]!.split('=') as [string, string]
    cookies[name] = value
  }
  const location = response.headers.get('location')
  if (!location) throw new Error(`no redirect: ${response.status} ${await response.text()}`)
  return new URL(location)
}

/** The form of one of our own pages, as the browser would send it. */
export function formIn(html: string): { action: string; fields: Record<string, string> } | null {
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1]
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [
    name,
    value!.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
  ])
  return action ? { action, fields: Object.fromEntries(fields) } : null
}
/** Accepts on a provider's consent page and returns the address it leads back to. */
export async function approve(
  platform: { real(url: string): string },
  consent: URL,
  person: { email: string; name?: string; unverified?: boolean },
  decision = 'approve',
): Promise<string> {
  const fields = new URLSearchParams(consent.search)
  fields.set('email', person.email)
  fields.set('name', person.name ?? 'Ada Provider')
  if (person.unverified) fields.set('unverified', '1')
  fields.set('decision', decision)
  const page = new URL(consent)
  page.search = ''
  const response = await fetch(platform.real(page.href), { method: 'POST', redirect: 'manual', body: fields })
  return response.headers.get('location')!
}
export const hashOf = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))
