import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call, useCall } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import type { Picture } from '../../pictures/picture.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Asked, EmptyState } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

const WIDTH = 1600
const MOST = 8

/** Copies a picture among the files of the seller and puts it behind the pictures of a product. */
export function ProductDialog({ picture, onClose }: { picture: Picture; onClose: () => void }) {
  const products = useCall('list-products', { q: '' })
  const [busy, setBusy] = useState<string | null>(null)
  const put = (item_id: string, title: string) =>
    attempt('Not added to the product', async () => {
      setBusy(item_id)
      try {
        const product = await call('read-product', { item_id })
        const ids = product.images.map(({ file_id }) => file_id)
        if (ids.length >= MOST) throw new Error(`${title} has ${MOST} pictures, which is the most. Remove one first.`)
        const { file_id } = await call(
          'marketplace-file-from-picture',
          { picture_id: picture.id, width: WIDTH },
          { idempotencyKey: crypto.randomUUID() },
        )
        await call('update-product', { item_id, image_ids: [...ids, file_id] }, { idempotencyKey: crypto.randomUUID() })
        toast.success(`Added to ${title}`)
        onClose()
      } finally {
        setBusy(null)
      }
    })
  return (
    <Dialog open onClose={onClose} title="Use on a product" description="The picture is copied, so it stays there when you delete it here.">
      <Asked query={products} skeleton="h-24" failed="Your products could not be loaded" />
      {products.data?.products.length === 0 ? (
        <EmptyState title="No products yet" compact>
          <Link to={`${paths.manage}?tab=products&new=`} className="text-signal-text underline">
            Add a product
          </Link>{' '}
          first, then choose it here.
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {products.data?.products.map(({ id, name: title, status }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <span className="min-w-0 flex-1 truncate text-14">{title}</span>
            <span className="text-12 text-faint capitalize">{status}</span>
            <Button disabled={busy !== null} busy={busy === id ? 'Adding' : false} onClick={() => void put(id, title)}>
              Add
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
