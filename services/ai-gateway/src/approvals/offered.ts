import { limitsOf } from '@operon/contracts/plans'
import { type Capability, capabilitiesOf } from '@operon/contracts/registry'
import { appName } from '@operon/contracts/words'
import { checkAccess } from '@operon/kit/access'
import { usageOf } from '@operon/kit/allowance'
import type { UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { KitDb } from '@operon/kit/schema'
import type { Kysely } from 'kysely'
import type { AiDb } from '../schema.ts'

type Db = Kysely<AiDb & KitDb>

/** Why a capability cannot be used right now, in words for the person; null where it can. */
export type Missing = (capability: Capability) => string | null

/** The capabilities that a person's sign-in, plan and connections allow. */
export async function missingFor(db: Db, actor: UserActor): Promise<Missing> {
  const [{ tier }, connections] = await Promise.all([
    usageOf(db, actor.id, 'prompts'),
    db.selectFrom('ai_connections').select('app').where('user_id', '=', actor.id).where('connected', '=', true).execute(),
  ])
  const connected = new Set(connections.map(({ app }) => app))
  return ({ contract, needs, unit, title }) => {
    const unconnected = needs.filter((app) => !connected.has(app))
    if (unconnected.length) return `${title} needs a connection to ${unconnected.map(appName).join(' and ')}. Connect it first.`
    if (unit && limitsOf(tier)[unit] === 0) return `${title} needs a plan that includes ${unit}. Choose one on the plan page.`
    try {
      checkAccess(contract, actor)
      return null
    } catch (error) {
      return error instanceof DomainError ? error.message : 'You do not have access to this.'
    }
  }
}

let known: Map<string, Capability> | undefined
/** Everything in the registry, by name. */
export function capabilities(): Map<string, Capability> {
  known ??= new Map(capabilitiesOf().map((capability) => [capability.name, capability]))
  return known
}
