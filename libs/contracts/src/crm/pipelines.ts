import { z } from 'zod'
import { changing, col, id, oneLine, reading } from '../contract.ts'
import { exampleId } from './calendar.ts'
import { Deal, exampleDeal } from './deals.ts'

// Pipelines: the stages that deals go through, and the board that shows who is where.

const pipeline_id = id('pipeline')
const Name = oneLine(60).min(1)
export const Pipeline = z.object({
  id: pipeline_id,
  name: z.string(),
  version: z.int(),
  stages: z.array(z.object({ id: id('stage'), name: z.string() })).max(12),
})
const examplePipeline = { id: exampleId, name: 'Sales', version: 1, stages: [{ id: exampleId, name: 'Qualified' }] }

export const showBoard = reading('show-board', {
  summary: 'Shows the open deals of a pipeline by stage',
  description:
    'Without `pipeline_id` the oldest pipeline. Each stage says how many deals it has and their sum in each currency, and shows the fifty that came last; `find-deals` lists the others. Without any deal there is no pipeline yet.',
  body: z.object({ pipeline_id: pipeline_id.optional() }).prefault({}),
  reply: z.object({
    pipelines: z.array(Pipeline).max(10),
    pipeline_id: pipeline_id.nullable(),
    stages: z
      .array(
        z.object({
          id: id('stage'),
          name: z.string(),
          count: z.int(),
          totals: z.array(z.object({ currency: z.string(), amount_cents: z.int() })),
          deals: z.array(Deal).max(50),
        }),
      )
      .max(12),
  }),
  example: {
    request: {},
    reply: {
      pipelines: [examplePipeline],
      pipeline_id: exampleId,
      stages: [
        {
          ...{ id: exampleId, name: 'Qualified', count: 1, totals: [{ currency: 'usd', amount_cents: 240_000 }] },
          deals: [exampleDeal],
        },
      ],
    },
  },
  errors: ['not_found'],
  action: {
    title: 'Show the pipeline',
    when: 'The person asks how much is in the pipeline or what its stages hold',
    effect: 'reads',
    evidence: { rows: 'stages', columns: { name: col.text('Stage'), count: col.count('Deals') } },
  },
})

export const deletePipeline = changing('delete-pipeline', {
  summary: 'Deletes a pipeline that no deal is in',
  description: 'It does not come back.',
  body: z.object({ pipeline_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { pipeline_id: exampleId }, reply: { deleted: true } },
  errors: ['not_found', 'pipeline_in_use'],
  action: {
    title: 'Delete a pipeline',
    when: 'The person asks to delete a pipeline',
    effect: 'destroys',
    does: () => 'Deletes the pipeline',
  },
})
export const createPipeline = changing('create-pipeline', {
  summary: 'Makes a pipeline with its stages',
  description: 'An account has at most ten. Won and lost are no stages: each deal can be closed from any.',
  body: z.object({ name: Name, stages: z.array(Name).min(1).max(12) }),
  reply: z.object({ pipeline_id }),
  example: { request: { name: 'Repairs', stages: ['Asked', 'Quoted', 'Planned'] }, reply: { pipeline_id: exampleId } },
  errors: ['pipeline_exists', 'pipelines_full'],
  action: {
    title: 'Make a pipeline',
    when: 'The person asks for another pipeline or other stages for a kind of deal',
    effect: 'changes',
    does: ({ name, stages }) => `Makes the pipeline ${name} with ${stages.join(', ')}`,
    undo: { contract: deletePipeline, seconds: 600 },
  },
})
export const updatePipeline = changing('update-pipeline', {
  summary: 'Renames a pipeline, and renames, adds, removes and orders its stages',
  description: 'The stages are replaced: those without `id` are new. A stage that open deals are in cannot be left out.',
  body: z.object({
    pipeline_id,
    version: z.int().min(1),
    name: Name,
    stages: z
      .array(z.object({ id: id('stage').optional(), name: Name }))
      .min(1)
      .max(12),
  }),
  reply: Pipeline,
  example: {
    request: { pipeline_id: exampleId, version: 1, name: 'Sales', stages: [{ id: exampleId, name: 'Qualified' }] },
    reply: { ...examplePipeline, version: 2 },
  },
  errors: ['not_found', 'conflict', 'pipeline_exists', 'stage_in_use'],
  action: {
    title: 'Change a pipeline',
    when: 'The person asks to rename, add, remove or reorder the stages of a pipeline',
    effect: 'changes',
    does: ({ name, stages }) => `Sets the stages of ${name} to ${stages.map((stage) => stage.name).join(', ')}`,
  },
})
