import { DomainError } from '@operon/kit/errors'
import { embedders } from '../registry/embedders.ts'
import { chainOf, type ModelAlias, models } from '../registry/models.ts'
import type { Providers } from '../upstream/providers.ts'

const all = [...models, ...embedders]

export async function listModels(providers: Providers) {
  return { object: 'list' as const, data: all.map((model) => describe(providers, model)) }
}

export async function getModel(providers: Providers, id: string) {
  const model = all.find((candidate) => candidate.id === id)
  if (!model) throw new DomainError('model_unknown')
  return describe(providers, model)
}

function describe(providers: Providers, model: ModelAlias) {
  const answering = providers.real(chainOf(model.id)?.[0] ?? model)
  return {
    id: model.id,
    object: 'model' as const,
    created: 1_735_689_600,
    owned_by: model.provider,
    name: model.name,
    answered_by: answering.upstream,
    context_window: model.contextWindow,
    input_microusd_per_mtok: answering.inputMicrousdPerMtok,
    output_microusd_per_mtok: answering.outputMicrousdPerMtok,
    abilities: model.abilities,
    shutdown_at: model.shutdownAt,
    successor: model.successor,
    sandbox: providers.isSandbox(model.provider),
  }
}
