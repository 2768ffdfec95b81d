import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Mark } from '../../ui/Mark.tsx'

const art = <Mark className="h-10 self-start" />
export const ToPlan = () => (
  <ButtonLink to={paths.pricing} size="public">
    See plan and usage
  </ButtonLink>
)

export const SignInToSee = () => (
  <PublicMessage
    art={art}
    title="Thank you."
    actions={
      <ButtonLink to={paths.auth} variant="primary" size="public">
        Sign in
      </ButtonLink>
    }
  >
    <p>Sign in to see the result of your checkout.</p>
  </PublicMessage>
)

/** A checkout whose result did not come. The payment itself does not depend on this page. */
export function Unread({ result, children }: { result: { error: Error; refetch: () => unknown }; children: ReactNode }) {
  return (
    <PublicMessage
      art={art}
      title="The result could not be read."
      actions={
        <>
          <Button size="public" onClick={() => result.refetch()}>
            Try again
          </Button>
          <ToPlan />
        </>
      }
    >
      <p>{result.error.message}</p>
      <p>{children}</p>
    </PublicMessage>
  )
}
