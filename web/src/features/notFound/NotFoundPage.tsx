import { texts } from '@operon/contracts/messages'
import { paths } from '../../paths.ts'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { EmptyRow } from '../../ui/Mark.tsx'

export function NotFoundPage() {
  return (
    <PublicMessage
      art={<EmptyRow className="h-16 self-start" />}
      title={texts.notFoundTitle}
      actions={
        <ButtonLink to={paths.home} variant="primary" size="public">
          Return to Home
        </ButtonLink>
      }
    >
      <p>There is nothing at this address. It may have moved, or the link may be mistyped.</p>
    </PublicMessage>
  )
}
