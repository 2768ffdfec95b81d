import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useParams } from 'react-router-dom'
import { callPublic } from '../../api/call.ts'
import { ApiError } from '../../api/http.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { blurOf, here } from '../../pictures/picture.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { day } from '../../ui/format.ts'
import { EmptyRow } from '../../ui/Mark.tsx'
import { Asked } from '../../ui/Panel.tsx'

/** A public link shows the picture without its prompt. */
export function SharedImagePage() {
  const { token = '' } = useParams()
  const shared = useQuery({
    queryKey: ['shared-image', token],
    queryFn: ({ signal }) => callPublic('shared-image', { token }, { signal }),
    retry: (count, error) => !(error instanceof ApiError && error.status === 404) && count < 2,
    staleTime: 0,
  })
  const gone = shared.error instanceof ApiError && shared.error.status === 404
  useEffect(() => {
    document.title = `${gone ? 'Link not found' : 'Shared image'} · ${product.name}`
  }, [gone])

  if (gone)
    return (
      <PublicMessage
        art={<EmptyRow />}
        title="This link does not work"
        actions={
          <ButtonLink to={paths.home} size="public">
            Go to {product.name}
          </ButtonLink>
        }
      >
        <p>Its owner may have revoked it, or the address may be mistyped.</p>
      </PublicMessage>
    )
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col gap-4 px-5 py-8 md:px-8">
        <h1 className="text-20 font-semibold">Shared image</h1>
        <Asked query={shared} skeleton="aspect-square w-full max-w-3xl" failed="The image could not be loaded" />
        {shared.data ? (
          <figure className="flex flex-col gap-3">
            <img
              src={here(shared.data.url)}
              alt="Shared by its owner"
              width={shared.data.width}
              height={shared.data.height}
              className="h-auto max-h-[75dvh] w-full max-w-4xl rounded-panel bg-cover object-contain object-left"
              style={{ backgroundImage: shared.data.thumbhash ? undefined : `url(${blurOf(shared.data.thumbhash)})` }}
            />
            <figcaption className="text-13 text-muted">
              Made with AI in {product.name} on {day(shared.data.created_at)}.
            </figcaption>
          </figure>
        ) : null}
      </div>
    </PublicLayout>
  )
}
