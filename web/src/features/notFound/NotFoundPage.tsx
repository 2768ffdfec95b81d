import { texts } from '@operon/contracts/messages'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { EmptyRow } from '../../ui/Mark.tsx'

export function NotFoundPage() {
  return (
    <PublicLayout footer={false}>
      <div className="mx-auto flex min-h-[70dvh] max-w-[84rem] flex-col items-start justify-center gap-5 px-5 md:px-8">
        <EmptyRow className="h-14" />
        <h1 className="text-40 font-semibold">{texts.notFoundTitle}</h1>
        <p className="max-w-[48ch] text-muted">There is nothing at this address. It may have moved, or the link has a slip in it.</p>
        <ButtonLink to="/" variant="primary" size="public">
          Return to Home
        </ButtonLink>
      </div>
    </PublicLayout>
  )
}
