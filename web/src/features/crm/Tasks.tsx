import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { TextField } from '../../ui/Field.tsx'
import { moment } from '../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { newKey, type Task, useRefresh, useTasks } from './queries.ts'

/** Everything that is to be done, the next due first. */
export function Tasks({ open }: { open: (contactId: string) => void }) {
  const tasks = useTasks()
  return (
    <Panel>
      <div className="flex flex-col gap-2">
        <NewTask />
        <Asked query={tasks} skeleton="h-24" failed="Your tasks could not be loaded" />
        {tasks.data && !tasks.data.tasks.length ? (
          <EmptyState compact title="No open tasks">
            Add what you want to be reminded of. When a task is due, the bell tells you.
          </EmptyState>
        ) : null}
        {tasks.data?.tasks.map((task) => (
          <TaskRow key={task.id} task={task} open={open} />
        ))}
      </div>
    </Panel>
  )
}

export function TaskRow({ task, open }: { task: Task; open?: (contactId: string) => void }) {
  const refresh = useRefresh()
  const set = (done: boolean) => call('complete-task', { task_id: task.id, done }, { idempotencyKey: newKey() }).then(refresh)
  const finish = () =>
    attempt('The task was not changed', async () => {
      await set(true)
      toast.undo(`${task.title} done`, () => attempt('The task was not changed', () => set(false)))
    })
  const isLate = task.due_at !== null && Date.parse(task.due_at) < Date.now()
  return (
    <div className="flex items-baseline gap-3 border-t border-line py-2 text-13">
      <input
        type="checkbox"
        aria-label={`Finish ${task.title}`}
        className="size-4 self-center accent-(--color-signal)"
        checked={false}
        onChange={finish}
      />
      <span className="min-w-0 flex-1 break-words">{task.title}</span>
      {open && task.contact_id ? (
        <Button variant="ghost" onClick={() => open(task.contact_id!)}>
          {task.contact_name}
        </Button>
      ) : null}
      {task.due_at ? (
        <time dateTime={task.due_at} className={cx('text-12 whitespace-nowrap', isLate ? 'text-bad' : 'text-muted')}>
          {isLate ? 'Due since ' : 'Due '}
          {moment(task.due_at)}
        </time>
      ) : null}
    </div>
  )
}

export function NewTask({ contactId }: { contactId?: string }) {
  const refresh = useRefresh()
  const [busy, setBusy] = useState(false)
  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const due = String(data.get('due') ?? '')
    setBusy(true)
    await attempt('The task was not added', async () => {
      await call(
        'create-task',
        {
          title: String(data.get('title')).trim(),
          ...(contactId && { contact_id: contactId }),
          ...(due && { due_at: new Date(due).toISOString() }),
        },
        { idempotencyKey: newKey() },
      )
      form.reset()
      await refresh()
    })
    setBusy(false)
  }
  return (
    <form onSubmit={add} className="flex flex-wrap items-end gap-2">
      <TextField label="New task" name="title" required maxLength={200} placeholder="Send the quote" fieldClassName="min-w-48 flex-1" />
      <TextField label="Due" name="due" type="datetime-local" fieldClassName="w-52" />
      <Button type="submit" busy={busy}>
        Add task
      </Button>
    </form>
  )
}
