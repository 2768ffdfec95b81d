import { type AppId, appOf } from '@operon/contracts/integrations/apps'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import type { ThirdParty } from '@operon/contracts/third-parties'
import { facesPeople, sandboxIsOpen } from '@operon/kit/config'
import { createGuardedFetch, type GuardedFetch } from '@operon/kit/fetch'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import { definitionOf } from './all.ts'
import { BESIDE } from './caldav.ts'
import type { Client, VendorId } from './vendors.ts'

/** Where an app is: at its vendor's own addresses, or at those of the stand-in, which has each under the vendor's host name. */
export type Place = {
  sandbox: boolean
  client: Client
  /** Tell the vendor with each call which operator makes it. */
  headers: Record<string, string>
  wire(url: string): Promise<string>
  page(url: string): string
}
export type Places = {
  /** Null where the operator has not registered with the vendor and no stand-in plays it. */
  of(app: AppId): Place | null
  /** Of a connection that was made there. */
  at(app: AppId, sandbox: boolean): Place | null
  fetch: GuardedFetch
  /** For addresses that a person chose: no stand-in is behind them. */
  strangers: GuardedFetch
}
/** The fetch that the calls of an app go through. */
export const placesFor = ({ fetch, strangers }: Places, app: string): Pick<Places, 'fetch'> => ({
  fetch: BESIDE.some((each) => each === app) ? strangers : fetch,
})

const KNOWN_MS = 5_000
const inSandbox: Client = { id: 'operon-sandbox', secret: 'operon-sandbox-secret' }
const noClient: Client = { id: '', secret: '' }

export function clientOf(config: Config, vendor: VendorId): Client | null {
  const settings = config as Record<string, unknown>
  const [id, secret] = ['ID', 'SECRET'].map((part) => settings[`CONNECT_${vendor.toUpperCase()}_CLIENT_${part}`])
  return id && secret ? { id: String(id), secret: String(secret) } : null
}

/** Null while what the vendor asks of the operator is not set. */
function operatorHeaders(settings: Pick<Config, 'CONNECT_GOOGLE_ADS_DEVELOPER_TOKEN'>, app: AppId): Record<string, string> | null {
  const asked = definitionOf(app).operator
  const value = asked && settings[asked.setting]
  return asked ? (value ? { [asked.header]: value } : null) : {}
}

export const sandboxedApps = (config: Config): ThirdParty[] => (config.CONNECT_SANDBOX ? ['apps'] : [])

export function openPlaces({ kit, config, ask }: Pick<Runtime<any, Config>, 'kit' | 'config' | 'ask'>): Places {
  const isOpen = sandboxIsOpen(kit) && config.CONNECT_SANDBOX
  let known: { url: Promise<string>; until: number } | undefined
  /** Asked for with each call, and told by the bus. */
  const standIn = (): Promise<string> => {
    if (!known || known.until < Date.now()) {
      const url = ask(sandboxAddress, { provider: 'apps' }).then((answer) => answer.url)
      const asked = { url, until: Date.now() + KNOWN_MS }
      known = asked
      url.catch(() => {
        if (known === asked) known = undefined
      })
    }
    return known.url
  }
  const sandboxOf = (app: AppId): Place => ({
    sandbox: true,
    client: inSandbox,
    headers: operatorHeaders({ CONNECT_GOOGLE_ADS_DEVELOPER_TOKEN: 'operon-sandbox' }, app) ?? {},
    wire: async (url) => `${await standIn()}/${url.replace('https://', '')}`,
    page: (url) => `${kit.PUBLIC_URL}/sandbox/apps/${url.replace('https://', '')}`,
  })
  const live = (client: Client, headers: Record<string, string>): Place => ({
    ...{ sandbox: false, client, headers },
    wire: async (url) => url,
    page: (url) => url,
  })
  function liveOf(app: AppId): Place | null {
    const vendor = appOf(app)?.vendor as VendorId | undefined
    if (!vendor) return live(noClient, {})
    const client = clientOf(config, vendor)
    const headers = operatorHeaders(config, app)
    return client && headers && live(client, headers)
  }
  return {
    of(app) {
      const vendor = appOf(app)?.vendor
      if (!vendor) return isOpen ? sandboxOf(app) : live(noClient, {})
      return liveOf(app) ?? (isOpen ? sandboxOf(app) : null)
    },
    at: (app, isSandbox) => (isSandbox ? (isOpen ? sandboxOf(app) : null) : liveOf(app)),
    // The hosts of vendors are shared by all accounts, so that a connection has its own circuit instead.
    fetch: createGuardedFetch({ trusted: isOpen ? standIn : null, breaks: false }),
    strangers: createGuardedFetch({ loopback: config.WEBHOOK_LOOPBACK && !facesPeople(kit), breaks: false }),
  }
}
