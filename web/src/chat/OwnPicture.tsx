import { Link } from 'react-router-dom'
import { useCall } from '../api/call.ts'
import { Skeleton } from '../ui/Panel.tsx'

/** A picture that was made in a conversation. It is asked for by its id, so it is shown to its owner alone and its address never gets old. */
export function OwnPicture({ id, alt }: { id: string; alt: string }) {
  const found = useCall('find-images', { ids: [id] }, { staleTime: 30 * 60_000 })
  const picture = found.data?.pictures[0]
  if (found.isPending) return <Skeleton className="my-1 aspect-square w-full max-w-sm" />
  if (!picture?.url) return <span className="text-muted">[{alt || 'image'}: not there any more]</span>
  const { pathname, search } = new URL(picture.url, location.origin)
  return (
    <Link to={`/dashboard/image-studio?image=${id}`} className="my-1 block w-full max-w-sm" title="Open in the Image Studio">
      <img
        src={pathname + search}
        alt={picture.prompt}
        width={picture.width}
        height={picture.height}
        className="h-auto w-full rounded-control"
      />
    </Link>
  )
}
