import { z } from 'zod'
import { fn, id, table, text, time } from '../contract.ts'

// The steps that an assistant proposes to a person, and their outcome. One approval holds several steps in a row.

export const MOST_STEPS = 8

/** A capability by its name, with its input. A whole value `{{1.subject}}` stands for a field of what step 1 answered. */
export const StepOrder = z.object({ action: text(100).min(1), input: z.record(z.string().max(100), z.unknown()) })

export const stepStates = ['waiting', 'running', 'done', 'failed', 'unknown', 'skipped', 'undone'] as const
export const Step = z.object({
  action: z.string(),
  title: z.string(),
  effect: z.string(),
  unit: z.string().nullable(),
  /** The sentence that the person approves. */
  does: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** The preview's answer; null where the action has no preview. */
  preview: z.unknown().nullable(),
  state: z.enum(stepStates),
  reply: z.unknown().nullable(),
  error: z.string().nullable(),
  /** Until when it can be undone. */
  undo_until: time.nullable(),
})

/**
 * proposed, dismissed, running, done, failed (at a step; later steps did not run), or unknown (the process died while it ran: the step that
 * ran then may have had its effect, and is not offered again).
 */
export const approvalStates = ['proposed', 'dismissed', 'running', 'done', 'failed', 'unknown'] as const
export const Approval = z.object({
  id: id('approval'),
  message_id: id('message').nullable(),
  title: z.string(),
  steps: z.array(Step),
  state: z.enum(approvalStates),
  /** The asker: `assistant`, or the name of a program. */
  origin: z.string(),
  /** How many prompts it uses at least. */
  prompts: z.int(),
  created_at: time,
  expires_at: time,
})

export const approvals = table('ai_approvals', {
  access: 'user',
  summary: 'Proposals of the assistants, with their previews and outcomes',
  columns: Approval,
  update: z.object({ state: z.enum(['proposed', 'dismissed']) }),
})

const approval = z.object({ approval_id: id('approval') })
const one = z.object({ approval: Approval })

/** Checks every step as its capability would, previews it, and keeps it for a day. Nothing runs. */
export const proposeActions = fn('propose-actions', {
  access: 'user',
  rate: 'write',
  summary: 'Proposes up to eight steps for the person to approve together',
  body: z.object({
    steps: z.array(StepOrder).min(1).max(MOST_STEPS),
    origin: text(100).min(1).default('assistant'),
    /** Asked again under the same key, the first proposal is given again while it can be approved or runs. */
    key: text(200).optional(),
  }),
  reply: one,
})
/** Previews again, refuses what has changed, and starts the steps. Read `ai_approvals` for their progress. */
export const approveActions = fn('approve-actions', {
  access: 'user',
  rate: 'write',
  summary: 'Approves a proposal: its steps run in order under the rights of the person',
  body: approval,
  reply: one,
})
export const editProposal = fn('edit-proposal', {
  access: 'user',
  rate: 'write',
  summary: 'Changes the input of one step before it is approved, and previews it again',
  body: approval.extend({ step: z.int().min(1).max(MOST_STEPS), input: StepOrder.shape.input }),
  reply: one,
})
export const undoAction = fn('undo-action', {
  access: 'user',
  rate: 'write',
  summary: 'Undoes one step that ran, while its way back is open',
  body: approval.extend({ step: z.int().min(1).max(MOST_STEPS) }),
  reply: one,
})
