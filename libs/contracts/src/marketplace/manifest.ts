import { z } from 'zod'

/** Ids and secrets are the seller's own and mean nothing, or too much, to a buyer. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i
const SECRET = /\b(sk|pk|rk|whsec|ghp|gho|xox[abp]|AKIA|eyJ)[-_A-Za-z0-9]{12,}/

const LARGEST = 200_000
const name = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'Names are small letters, digits and underscores.')
const Node = z.object({
  id: name,
  type: z.string().regex(/^(trigger|flow|do|app)\.[a-z0-9][a-z0-9._-]{0,99}$/, 'A step begins with trigger., flow., do. or app.'),
  params: z.record(z.string().max(60), z.unknown()).default({}),
})
const Edge = z.object({ from: name, to: name, when: z.string().max(40).optional() })

/** The contents of a template: a workflow with slots for connections, variables and a sample to try it on. Nothing in it is the seller's own. */
export const TemplateManifest = z
  .object({
    format: z.literal('workflow/1'),
    graph: z.object({ nodes: z.array(Node).min(1).max(100), edges: z.array(Edge).max(300) }),
    slots: z
      .array(z.object({ app: name, scopes: z.array(z.string().max(100)).max(20).default([]), used_by: z.array(name).min(1).max(100) }))
      .max(20)
      .default([]),
    variables: z
      .array(z.object({ name, label: z.string().min(1).max(80), default: z.string().max(500).default('') }))
      .max(40)
      .default([]),
    sample_input: z.record(z.string().max(60), z.unknown()).default({}),
  })
  .superRefine((manifest, ctx) => {
    const say = (message: string) => ctx.addIssue({ code: 'custom', message })
    const written = JSON.stringify(manifest)
    if (written.length > LARGEST) return say('A template is at most 200 kB.')
    const ids = new Set(manifest.graph.nodes.map(({ id }) => id))
    if (ids.size < manifest.graph.nodes.length) say('Two steps have the same id.')
    if (!manifest.graph.nodes.some(({ type }) => type.startsWith('trigger.'))) say('A workflow begins with a trigger.')
    for (const { from, to } of manifest.graph.edges)
      if (!ids.has(from) || !ids.has(to)) say(`The edge ${from} to ${to} names a step that is not there.`)
    for (const { app, used_by } of manifest.slots)
      for (const id of used_by) if (!ids.has(id)) say(`The connection ${app} is used by ${id}, which is not a step.`)
    const slots = new Set(manifest.slots.map(({ app }) => app))
    for (const { type } of manifest.graph.nodes) {
      const app = type.startsWith('app.') ? type.split('.')[1]! : null
      if (app && !slots.has(app)) say(`A step uses ${app}, which no connection is named for.`)
    }
    if (UUID.test(written)) say('Take ids of your own account out of the template.')
    if (SECRET.test(written)) say('Take keys and passwords out of the template.')
  })
