export type Person = { id: string; email: string; name: string; verified: boolean }

export const testPeople: Omit<Person, 'id'>[] = [
  { email: 'ada.seller@example.com', name: 'Ada Seller', verified: true },
  { email: 'ben.buyer@example.com', name: 'Ben Buyer', verified: true },
  { email: 'cleo.unverified@example.com', name: 'Cleo Unverified', verified: false },
]

export const labels: Record<string, string> = { google: 'Google', facebook: 'Facebook', github: 'GitHub', microsoft: 'Microsoft' }
export const labelOf = (provider: string) => labels[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1)

/** The number that a provider knows a person by: always the same for the same address. */
export function numberOf(provider: string, email: string): string {
  let hash = 7n
  for (const character of `${provider}:${email.toLowerCase()}`)
    hash = (hash * 1_000_003n + BigInt(character.codePointAt(0)!)) % 10_000_000_019n
  return provider === 'google' ? `10${String(hash).padStart(19, '4')}` : String(hash)
}

/** A person as each provider's user endpoint describes them, in that provider's own shape. */
export function userinfo(provider: string, person: Person) {
  const [given = '', ...rest] = person.name.split(' ')
  const family = rest.join(' ')
  if (provider === 'github') {
    const login = person.email.split('@')[0]!.replace(/[^a-z0-9-]/gi, '-')
    return {
      login,
      id: Number(person.id),
      node_id: `U_${person.id}`,
      avatar_url: '',
      html_url: `https://github.com/${login}`,
      type: 'User',
      name: person.name,
      company: null,
      email: null,
      two_factor_authentication: true,
    }
  }
  if (provider === 'facebook')
    return { id: person.id, name: person.name, first_name: given, last_name: family, ...(person.verified ? { email: person.email } : {}) }
  return {
    sub: person.id,
    name: person.name,
    given_name: given,
    family_name: family,
    picture: '',
    email: person.email,
    email_verified: person.verified,
  }
}

/** Microsoft Graph's `/me`. */
export function graphMe(person: Person) {
  const [givenName = '', ...rest] = person.name.split(' ')
  return {
    '@odata.context': 'https://graph.microsoft.com/v1.0/$metadata#users/$entity',
    id: person.id,
    displayName: person.name,
    givenName,
    surname: rest.join(' '),
    mail: person.email,
    userPrincipalName: person.email,
  }
}

export const githubEmails = (person: Person) => [
  { email: person.email, primary: true, verified: person.verified, visibility: 'private' },
  { email: `${person.id}+sandbox@users.noreply.github.com`, primary: false, verified: true, visibility: null },
]
