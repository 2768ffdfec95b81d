import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/contacts'
import { taskDue } from '@operon/contracts/crm/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publishMany } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import type { Trx } from './assert.ts'

type Task = Output<typeof contract.listTasks>['tasks'][number]
const MOST_OPEN = 200

export async function createTask(
  ctx: Ctx<CrmDb>,
  { title, contact_id, due_at }: Input<typeof contract.createTask>,
): Promise<Output<typeof contract.createTask>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    if (contact_id) {
      const own = await trx.selectFrom('leads').select('id').where('id', '=', contact_id).where('user_id', '=', userId).executeTakeFirst()
      if (!own) throw new DomainError('not_found')
    }
    if (!(await hasRoom(trx as Trx, userId))) throw new DomainError('tasks_full')
    const id = newId()
    const task = { id, user_id: userId, contact_id: contact_id ?? null, title, due_at: due_at ? new Date(due_at) : null }
    await trx.insertInto('tasks').values(task).execute()
    return { task_id: id }
  })
}

/** For one more open task. */
export async function hasRoom(trx: Trx, userId: string): Promise<boolean> {
  const open = await trx
    .selectFrom('tasks')
    .select('id')
    .where('user_id', '=', userId)
    .where('done_at', 'is', null)
    .limit(MOST_OPEN)
    .execute()
  return open.length < MOST_OPEN
}

export async function updateTask(
  ctx: Ctx<CrmDb>,
  { task_id, title, due_at }: Input<typeof contract.updateTask>,
): Promise<Output<typeof contract.updateTask>> {
  const changes = { ...(title && { title }), ...(due_at !== undefined && { due_at: due_at === null ? null : new Date(due_at) }) }
  const isKnown = await inTransaction(ctx.db, (trx) => changeTask(trx as Trx, signedIn(ctx).id, task_id, changes))
  if (!isKnown) throw new DomainError('not_found')
  return { updated: true }
}

type TaskChanges = { title?: string; due_at?: Date | null; done?: boolean; contact_id?: string | null }
/** A task that becomes due at another time reminds once more. */
export async function changeTask(trx: Trx, userId: string, taskId: string, { done, ...changes }: TaskChanges): Promise<boolean> {
  const { due_at } = changes
  const { numUpdatedRows } = await trx
    .updateTable('tasks')
    .set({
      id: taskId,
      ...changes,
      ...(due_at !== undefined && { told_at: sql<Date | null>`case when due_at is not distinct from ${due_at} then told_at end` }),
      ...(done !== undefined && { done_at: done ? sql<Date>`coalesce(done_at, now())` : null }),
    })
    .where('id', '=', taskId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function completeTask(
  ctx: Ctx<CrmDb>,
  { task_id, done }: Input<typeof contract.completeTask>,
): Promise<Output<typeof contract.completeTask>> {
  const isKnown = await inTransaction(ctx.db, (trx) => changeTask(trx as Trx, signedIn(ctx).id, task_id, { done }))
  if (!isKnown) throw new DomainError('not_found')
  return { done }
}

export async function deleteTask(
  ctx: Ctx<CrmDb>,
  { task_id }: Input<typeof contract.deleteTask>,
): Promise<Output<typeof contract.deleteTask>> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('tasks')
    .where('id', '=', task_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  if (!numDeletedRows) throw new DomainError('not_found')
  return { deleted: true }
}

export async function listTasks(ctx: Ctx<CrmDb>): Promise<Output<typeof contract.listTasks>> {
  return { tasks: await openTasks(ctx.db, signedIn(ctx).id) }
}

/** Tasks of a deleted contact wait with it. */
export async function openTasks(db: Kysely<any>, userId: string, contactId?: string): Promise<Task[]> {
  const { rows } = await sql<Omit<Task, 'due_at' | 'done_at'> & { due_at: Date | null }>`
    select t.id, t.contact_id, l.name as contact_name, t.title, t.due_at from tasks t
    left join leads l on l.id = t.contact_id and l.user_id = t.user_id
    where t.user_id = ${userId} and t.done_at is null and (t.contact_id is null or l.id is not null)
      ${contactId ? sql`and t.contact_id = ${contactId}` : sql``}
    order by t.due_at nulls last, t.id limit ${MOST_OPEN}`.execute(db)
  return rows.map(({ due_at, ...task }) => ({ ...task, due_at: due_at?.toISOString() ?? null, done_at: null }))
}

const PIECE = 200
/** Each task is told of once, when it is due: claimed and told in one transaction, by however many instances look. */
export async function remindOfTasks(ctx: Pick<Ctx<CrmDb>, 'db' | 'signal'>): Promise<void> {
  for (let told = PIECE; told === PIECE; ) {
    ctx.signal.throwIfAborted()
    told = await inTransaction(ctx.db, async (trx) => {
      const { rows } = await sql<{ id: string; user_id: string; contact_id: string | null; title: string }>`
        update tasks set told_at = now() where id in (
          select t.id from tasks t where t.done_at is null and t.told_at is null and t.due_at <= now()
            and (t.contact_id is null or exists (select from leads l where l.id = t.contact_id))
          order by t.due_at limit ${PIECE} for update skip locked) returning id, user_id, contact_id, title`.execute(trx)
      await publishMany(
        trx,
        taskDue,
        rows.map(({ id, user_id, contact_id, title }) => ({ userId: user_id, payload: { task_id: id, contact_id, title } })),
      )
      return rows.length
    })
  }
}
