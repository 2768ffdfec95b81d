import { texts } from '@operon/contracts/messages'
import { RotateCw, TriangleAlert } from 'lucide-react'
import { paths } from '../paths.ts'
import { Button, ButtonLink } from '../ui/Button.tsx'

type ProblemProps = { title?: string; text?: string; retry?: () => void; atLimit?: boolean }

/** Says an answer did not come, or not whole, and offers to ask again, or where more can be had. */
export function Problem({ title, text, retry, atLimit }: ProblemProps) {
  return (
    <div className="flex items-start gap-3 rounded-control border border-warn/40 bg-warn-soft px-3 py-2.5 text-13">
      <TriangleAlert className="mt-0.5 size-4 text-warn" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          {title ? <p className="font-medium">{title}</p> : null}
          <p className={title ? 'text-muted' : undefined}>{text || (title ? '' : texts.unexpectedError)}</p>
        </div>
        {atLimit ? (
          <ButtonLink to={paths.pricing} variant="primary">
            See plans
          </ButtonLink>
        ) : null}
        {retry && !atLimit ? (
          <Button onClick={retry}>
            <RotateCw />
            Try again
          </Button>
        ) : null}
      </div>
    </div>
  )
}
