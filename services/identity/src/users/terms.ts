import { sql } from 'kysely'

type Accepted = { terms_version: string | null; terms_accepted_at: Date }

/** The terms that a sign-up or a change of one's own metadata accepts. When they did is the server's to say, not theirs. */
export function termsIn(data: Record<string, unknown>): Accepted | null {
  if (data.accept_terms !== true) return null
  const version = data.terms_version
  return { terms_version: typeof version === 'string' ? version.slice(0, 40) : null, terms_accepted_at: new Date() }
}

/** The same version again keeps the first time. */
export const acceptedAgain = ({ terms_version: version, terms_accepted_at: at }: Accepted) => ({
  terms_version: sql<string | null>`coalesce(${version}, terms_version)`,
  terms_accepted_at: sql<Date>`case when terms_accepted_at is null or terms_version is distinct from coalesce(${version}, terms_version) then ${at} else terms_accepted_at end`,
})
