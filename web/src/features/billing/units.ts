import type { Unit } from '@operon/contracts/plans'

/** What a plan includes of tools that are not in this version: said wherever it is named, and not drawn as if it could be used. */
export const comingUnits: readonly Unit[] = ['images', 'emails', 'runs', 'agents']
