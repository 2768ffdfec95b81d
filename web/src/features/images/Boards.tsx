import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { Check, Ellipsis, LayoutGrid, Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Options, SelectField, TextField } from '../../ui/Field.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import type { Filter } from './gallery.ts'

type Board = CallReply<'list-boards'>['boards'][number]
const newKey = () => ({ idempotencyKey: crypto.randomUUID() })

function useBoards() {
  const queries = useQueryClient()
  const { data, isError } = useCall('list-boards', {})
  const ofBoard = ({ queryKey }: { queryKey: readonly unknown[] }) => Boolean((queryKey[1] as Partial<Filter>).board)
  const refresh = () =>
    Promise.all([
      ...['list-boards', 'boards-of-image'].map((name) => queries.invalidateQueries({ queryKey: [name] })),
      queries.invalidateQueries({ queryKey: ['list-images'], predicate: ofBoard }),
    ])
  return { boards: data?.boards ?? [], isError, refresh }
}

type Chosen = { board: string; onChoose: (board: string) => void }
/** The board that the gallery shows, and its actions. */
export function BoardFilter({ board, onChoose }: Chosen) {
  const { boards, isError, refresh } = useBoards()
  const [naming, setNaming] = useState<Board | 'new' | null>(null)
  const shown = boards.find(({ id }) => id === board)
  const remove = ({ id, name }: Board) =>
    attempt('The board was not deleted', async () => {
      await call('delete-board', { board_id: id }, newKey())
      onChoose('')
      await refresh()
      toast.undo(
        `${name} deleted. Its images stay.`,
        () =>
          void attempt('The board was not brought back', async () => {
            await call('restore-board', { board_id: id }, newKey())
            await refresh()
            onChoose(id)
          }),
      )
    })
  return (
    <div className="flex min-w-0 flex-wrap items-end gap-2">
      <SelectField
        label="Board"
        fieldClassName="w-44 max-w-full"
        value={shown ? board : ''}
        onChange={(event) => onChoose(event.target.value)}
      >
        <option value="">{isError ? 'Boards did not load' : 'All images'}</option>
        <Options of={boards.map(({ id, name, pictures }) => [id, `${name} (${pictures > 100 ? '100+' : pictures})`])} />
      </SelectField>
      {shown ? (
        <Menu
          trigger={(props) => (
            <Button aria-label={`Actions for ${shown.name}`} {...props}>
              <Ellipsis />
            </Button>
          )}
        >
          <MenuItem onSelect={() => setNaming(shown)}>Rename</MenuItem>
          <MenuItem onSelect={() => setNaming('new')}>New board</MenuItem>
          <MenuSeparator />
          <MenuItem danger onSelect={() => void remove(shown)}>
            Delete board
          </MenuItem>
        </Menu>
      ) : (
        <Button onClick={() => setNaming('new')}>
          <Plus />
          New board
        </Button>
      )}
      {naming ? (
        <NameDialog
          board={naming === 'new' ? null : naming}
          onClose={() => setNaming(null)}
          onDone={async (id) => {
            await refresh()
            onChoose(id)
          }}
        />
      ) : null}
    </div>
  )
}

/** Puts the opened image on boards and takes it off. */
export function BoardMenu({ pictureId }: { pictureId: string }) {
  const { boards, refresh } = useBoards()
  const on = useCall('boards-of-image', { picture_id: pictureId })
  const [naming, setNaming] = useState(false)
  const put = (board_id: string, isOn: boolean) =>
    attempt('The board was not changed', async () => {
      await call('put-on-board', { board_id, picture_id: pictureId, on: isOn }, newKey())
      await refresh()
    })
  const held = on.data?.board_ids ?? []
  return (
    <>
      <Menu
        align="start"
        className="max-h-72 overflow-auto"
        trigger={(props) => (
          <Button {...props}>
            <LayoutGrid />
            {held.length ? `On ${held.length} ${held.length === 1 ? 'board' : 'boards'}` : 'Add to board'}
          </Button>
        )}
      >
        {boards.map(({ id, name }) => (
          <MenuItem
            key={id}
            icon={held.includes(id) ? <Check aria-label="On it" /> : <span className="size-4" />}
            onSelect={() => void put(id, !held.includes(id))}
          >
            {name}
          </MenuItem>
        ))}
        {boards.length ? <MenuSeparator /> : null}
        <MenuItem icon={<Plus />} onSelect={() => setNaming(true)}>
          New board
        </MenuItem>
      </Menu>
      {naming ? <NameDialog board={null} onClose={() => setNaming(false)} onDone={(id) => put(id, true)} /> : null}
    </>
  )
}

function NameDialog({ board, onClose, onDone }: { board: Board | null; onClose: () => void; onDone: (id: string) => Promise<unknown> }) {
  const [busy, setBusy] = useState(false)
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    setBusy(true)
    await attempt(board ? 'The board was not renamed' : 'The board was not made', async () => {
      if (board) await call('rename-board', { board_id: board.id, name }, newKey())
      const id = board?.id ?? (await call('create-board', { name }, newKey())).board_id
      await onDone(id)
      onClose()
    })
    setBusy(false)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={board ? 'Rename board' : 'New board'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="board-name" busy={busy}>
            {board ? 'Rename' : 'Make board'}
          </Button>
        </>
      }
    >
      <form id="board-name" onSubmit={save}>
        <TextField label="Name" name="name" defaultValue={board?.name} maxLength={80} required autoFocus />
      </form>
    </Dialog>
  )
}
