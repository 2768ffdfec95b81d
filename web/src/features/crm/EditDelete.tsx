import { Pencil, Trash2 } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'

/** Actions on the record that a panel shows. */
export function EditDelete({ onEdit, onDelete, className }: { onEdit: () => void; onDelete: () => void; className?: string }) {
  return (
    <span className={cx('flex gap-2', className)}>
      <Button onClick={onEdit}>
        <Pencil />
        Edit
      </Button>
      <Button onClick={onDelete}>
        <Trash2 />
        Delete
      </Button>
    </span>
  )
}
