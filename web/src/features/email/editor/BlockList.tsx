import { ArrowDown, ArrowUp, Copy, EllipsisVertical, GripVertical, Plus, Trash2, TriangleAlert } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { SelectField } from '../../../ui/Field.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/Menu.tsx'
import type { Block } from '../queries.ts'
import { BlockForm } from './BlockForm.tsx'
import { brief, copyOf, type Kind, kindNames, MOST_PARTS, moved, newBlock, newPart, partKinds } from './blocks.ts'

type Props = {
  blocks: readonly Block[]
  /** `field` names what changed, so that keys in one field are one step back. */
  onChange: (blocks: Block[], field: string) => void
  kinds: readonly Kind[]
  most: number
  label: string
  /** Findings of the checks on a block. */
  warned?: ReadonlyMap<string, string>
  /** A block that something else on the page points at. */
  shown?: string | null
}

/** Blocks in their order: dragged by the handle, moved by Alt and the arrows, each opened to be filled in. */
export function BlockList({ blocks, onChange, kinds, most, label, warned, shown }: Props) {
  const [open, setOpen] = useState<string | null>(null)
  const [dragged, setDragged] = useState<number | null>(null)
  const [over, setOver] = useState<number | null>(null)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (
      !shown ||
      !blocks.some(({ id, ...block }) => id === shown || ('columns' in block && block.columns.flat().some((part) => part.id === shown)))
    )
      return
    setOpen(
      blocks.find((block) => block.id === shown || (block.kind === 'columns' && block.columns.flat().some((part) => part.id === shown)))!
        .id,
    )
  }, [shown, blocks])

  const focus = (id: string) => requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-block="${id}"]`)?.focus())
  function move(from: number, to: number) {
    if (to < 0 || to >= blocks.length || from === to) return
    onChange(moved(blocks, from, to), `move ${blocks[from]!.id}`)
    focus(blocks[from]!.id)
  }
  function add(kind: Kind, at: number) {
    const block = newBlock(kind)
    onChange([...blocks.slice(0, at), block, ...blocks.slice(at)], `add ${block.id}`)
    setOpen(block.id)
    focus(block.id)
  }
  function remove(at: number) {
    onChange(
      blocks.filter((_, n) => n !== at),
      `remove ${blocks[at]!.id}`,
    )
    const next = blocks[at + 1] ?? blocks[at - 1]
    if (next) focus(next.id)
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>, at: number) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && event.altKey) move(at, at + step)
    else if (step) focus(blocks[Math.min(blocks.length - 1, Math.max(0, at + step))]!.id)
    else if (event.key === 'Delete' || event.key === 'Backspace') remove(at)
    else return
    event.preventDefault()
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    if (dragged !== null && over !== null) move(dragged, over)
    setDragged(null)
    setOver(null)
  }
  const isFull = blocks.length >= most
  return (
    <div>
      <ul
        ref={list}
        aria-label={label}
        className="flex flex-col gap-1.5"
        onDrop={drop}
        onDragOver={(event) => dragged !== null && event.preventDefault()}
      >
        {blocks.map((block, at) => {
          const isOpen = open === block.id
          const warning = warned?.get(block.id)
          return (
            <li
              key={block.id}
              onDragEnter={() => dragged !== null && setOver(at)}
              className={cx(
                'rounded-control bg-panel hairline',
                over === at && dragged !== null && dragged !== at && 'border-signal-text',
                dragged === at && 'opacity-50',
              )}
            >
              <div className="flex items-center gap-1 pr-1">
                <span
                  draggable
                  onDragStart={(event) => {
                    event.dataTransfer.effectAllowed = 'move'
                    event.dataTransfer.setData('text/plain', kindNames[block.kind])
                    setDragged(at)
                  }}
                  onDragEnd={() => {
                    setDragged(null)
                    setOver(null)
                  }}
                  className="grid h-9 w-7 cursor-grab place-items-center text-faint max-md:hidden"
                  aria-hidden="true"
                >
                  <GripVertical className="size-4" />
                </span>
                <button
                  type="button"
                  data-block={block.id}
                  aria-expanded={isOpen}
                  aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
                  onClick={() => setOpen(isOpen ? null : block.id)}
                  onKeyDown={(event) => onKeyDown(event, at)}
                  className="flex h-9 min-w-0 flex-1 items-center gap-2 rounded-control text-left text-13 max-md:h-11 max-md:pl-3"
                >
                  <span className="font-medium">{kindNames[block.kind]}</span>
                  <span className="min-w-0 flex-1 truncate text-faint">{isOpen ? '' : brief(block)}</span>
                  {warning ? (
                    <span className="text-warn" title={warning}>
                      <TriangleAlert aria-label={warning} className="size-4" />
                    </span>
                  ) : null}
                </button>
                <Menu
                  trigger={(props) => (
                    <IconButton label={`More for ${kindNames[block.kind]} ${at + 1}`} {...props}>
                      <EllipsisVertical />
                    </IconButton>
                  )}
                >
                  <MenuItem icon={<ArrowUp />} hint="Alt ↑" onSelect={() => move(at, at - 1)}>
                    Move up
                  </MenuItem>
                  <MenuItem icon={<ArrowDown />} hint="Alt ↓" onSelect={() => move(at, at + 1)}>
                    Move down
                  </MenuItem>
                  {isFull ? null : (
                    <MenuItem
                      icon={<Copy />}
                      onSelect={() => onChange([...blocks.slice(0, at + 1), copyOf(block), ...blocks.slice(at + 1)], `copy ${block.id}`)}
                    >
                      Duplicate
                    </MenuItem>
                  )}
                  <MenuSeparator />
                  <MenuItem icon={<Trash2 />} hint="Del" danger onSelect={() => remove(at)}>
                    Delete
                  </MenuItem>
                </Menu>
              </div>
              {isOpen ? (
                <div className="flex flex-col gap-3 border-t border-line p-3">
                  <Fields
                    block={block}
                    onChange={(next) =>
                      onChange(
                        blocks.map((each) => (each.id === block.id ? next : each)),
                        `fill ${block.id}`,
                      )
                    }
                  />
                </div>
              ) : null}
            </li>
          )
        })}
      </ul>
      <div className="mt-2 flex">
        <Menu
          align="start"
          trigger={(props) => (
            <Button disabled={isFull} {...props}>
              <Plus />
              Add a block
            </Button>
          )}
        >
          {kinds.map((kind) => (
            <MenuItem key={kind} onSelect={() => add(kind, positionFor(blocks, open))}>
              {kindNames[kind]}
            </MenuItem>
          ))}
        </Menu>
        {isFull ? <p className="self-center pl-3 text-12 text-faint">{most} blocks are the most.</p> : null}
      </div>
    </div>
  )
}

/** Below the open block, else at the end but above the footer. */
function positionFor(blocks: readonly Block[], open: string | null): number {
  const at = blocks.findIndex(({ id }) => id === open)
  if (at >= 0 && blocks[at]!.kind !== 'footer') return at + 1
  const foot = blocks.findIndex(({ kind }) => kind === 'footer')
  return foot >= 0 ? foot : blocks.length
}

type Change = (block: Block) => void
function Fields({ block, onChange }: { block: Block; onChange: Change }) {
  return block.kind === 'columns' ? <ColumnsForm block={block} onChange={onChange} /> : <BlockForm block={block} onChange={onChange} />
}

function ColumnsForm({ block, onChange }: { block: Extract<Block, { kind: 'columns' }>; onChange: Change }) {
  const { columns } = block
  const resize = (count: number) =>
    onChange({ ...block, columns: Array.from({ length: count }, (_, at) => columns[at] ?? [newPart('text')]) })
  return (
    <>
      <SelectField
        label="Columns"
        value={columns.length}
        hint="They stack on a phone."
        onChange={(event) => resize(Number(event.target.value))}
      >
        <option value={2}>2</option>
        <option value={3}>3</option>
      </SelectField>
      {columns.map((parts, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
        <section key={at} aria-label={`Column ${at + 1}`}>
          <h4 className="mb-1.5 text-13 font-medium">Column {at + 1}</h4>
          <BlockList
            blocks={parts}
            kinds={partKinds}
            most={MOST_PARTS}
            label={`Blocks of column ${at + 1}`}
            onChange={(next) => onChange({ ...block, columns: columns.map((each, n) => (n === at ? (next as typeof parts) : each)) })}
          />
        </section>
      ))}
    </>
  )
}
