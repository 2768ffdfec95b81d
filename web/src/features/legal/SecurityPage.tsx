import { badges, unverifiedNote } from '../../content/claims.ts'
import { product } from '../../content/product.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'

const measures = [
  [
    'Passwords',
    'Stored as argon2id hashes. Common and breached passwords are refused. Sign-in takes the same time for an unknown address.',
  ],
  [
    'Sessions',
    'Access tokens live an hour and are signed with keys the server alone holds. A refresh token works once; using an old one ends the session.',
  ],
  [
    'Second factor',
    'Authenticator codes with recovery codes. Deleting, exporting and other sensitive acts ask for it, or for the password again.',
  ],
  ['Separation', 'Every row belongs to an account and every query names it, on the server. Each service owns its own database.'],
  ['Secrets', 'Tokens of connected apps are encrypted one by one with AES-256-GCM under a key that can be rotated.'],
  [
    'In the browser',
    'A strict content security policy: only scripts that came with the app run, none from third parties, and there are no trackers.',
  ],
  ['Payments', 'Card data goes to the payment provider only. Every movement is booked twice in a ledger that nothing rewrites.'],
  ['Account log', 'Sign-ins and changes are logged with address and device, and shown to you in the settings.'],
] as const

export function SecurityPage() {
  const shown = badges.filter((badge) => badge.shown)
  return (
    <PublicLayout>
      <div className="mx-auto grid max-w-[84rem] gap-x-10 gap-y-10 px-5 py-14 md:grid-cols-12 md:px-8 md:py-20">
        <div className="md:col-span-4">
          <h1 className="text-40 font-semibold md:sticky md:top-28">What is really done to keep your data safe</h1>
        </div>
        <div className="md:col-span-8">
          <dl>
            {measures.map(([title, text]) => (
              <div key={title} className="grid gap-x-8 gap-y-1 border-b border-line py-5 first:pt-1 sm:grid-cols-[11rem_1fr]">
                <dt className="font-semibold">{title}</dt>
                <dd className="max-w-[58ch] text-muted">{text}</dd>
              </div>
            ))}
          </dl>
          {shown.length ? (
            <p className="mt-6 text-14 text-faint">
              Badges stated by the operator: {shown.map((badge) => badge.value).join(', ')}.{' '}
              {shown.some((badge) => !badge.verified) ? unverifiedNote : ''}
            </p>
          ) : null}
          <p className="mt-6 text-14 text-muted">
            Found a weakness? Write to{' '}
            <a href={`mailto:${product.security}`} className="text-text underline decoration-control underline-offset-4">
              {product.security}
            </a>
            . You get an answer from a person.
          </p>
        </div>
      </div>
    </PublicLayout>
  )
}
