import { Navigate, useLocation } from 'react-router-dom'
import { eraseWithinDays } from '../../content/legal.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { DAY_MS, day } from '../../ui/format.ts'
import { GeneRow } from '../../ui/Mark.tsx'

/** Where a deleted account leads, a seller's and a buyer's. Only the deletion itself opens it. */
export function GoodbyePage() {
  const deletedAt: number | undefined = useLocation().state?.deletedAt
  if (!deletedAt) return <Navigate to={paths.home} replace />
  return (
    <PublicMessage
      art={
        <GeneRow
          className="self-start"
          genes={[
            { width: 74, state: 'coming' },
            { width: 34, state: 'coming' },
            { width: 56, state: 'coming' },
          ]}
        />
      }
      title="Your account is deleted."
      actions={
        <>
          <ButtonLink to={paths.home} size="public">
            Return to Home
          </ButtonLink>
          <ButtonLink to={paths.getStarted} size="public" variant="ghost">
            Start again
          </ButtonLink>
        </>
      }
    >
      <p>You are signed out on every device. A subscription has ended with the account, and nothing more is billed.</p>
      <p>
        Every part of {product.name} erases what it held about you by {day(deletedAt + eraseWithinDays * DAY_MS)}. What was paid stays in
        the books as long as accounting law asks, under a number that leads to nobody.
      </p>
      <p>Thank you for the time you were here.</p>
    </PublicMessage>
  )
}
