import { z } from 'zod'
import * as ai from './ai-gateway.ts'
import * as aiApi from './ai-gateway-api.ts'
import * as aiTables from './ai-gateway-tables.ts'
import * as aiTools from './ai-gateway-tools.ts'
import * as analytics from './analytics.ts'
import * as billing from './billing.ts'
import type { Endpoint, Event, Job, Request, Table } from './contract.ts'
import * as crm from './crm.ts'
import { accountErasures } from './erasure.ts'
import * as identity from './identity.ts'
import * as identityAdmin from './identity-admin.ts'
import * as identityAuth from './identity-auth.ts'
import { notOffered } from './identity-off.ts'
import * as identityShapes from './identity-shapes.ts'
import * as integrations from './integrations.ts'
import * as marketplace from './marketplace.ts'
import * as platform from './platform.ts'
import * as sandbox from './sandbox.ts'
import type { ProcessName } from './services.ts'

/** Everything that every service says, by who says it. The gateway, the reference pages and the attack runner read this. */
export const contracts: Record<ProcessName, object> = {
  identity: { ...identity, ...identityAuth, ...identityAdmin, ...Object.values(notOffered).flat(), ...identityShapes, accountErasures },
  billing,
  marketplace,
  integrations,
  'ai-gateway': { ...ai, ...aiApi, ...aiTables, ...aiTools },
  analytics,
  crm,
  sandbox,
  gateway: platform,
}

type Contract = Endpoint | Table | Event | Request | Job
const all = (service: ProcessName): Contract[] =>
  Object.values(contracts[service]).filter((value): value is Contract => typeof value === 'object' && value !== null && 'kind' in value)

export const endpointsOf = (service: ProcessName) => all(service).filter((contract) => contract.kind === 'endpoint') as Endpoint[]
export const tablesOf = (service: ProcessName) => all(service).filter((contract) => contract.kind === 'table') as Table[]
export const eventsOf = (service: ProcessName) => all(service).filter((contract) => contract.kind === 'event') as Event[]
/** The shapes that a service's contracts are made of, by the names that they are exported under. */
export const shapesOf = (service: ProcessName): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(contracts[service]).filter(([, value]) => isShape(value)))
const isShape = (value: unknown) => value instanceof z.ZodObject || value instanceof z.ZodUnion || value instanceof z.ZodEnum
