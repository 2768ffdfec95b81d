import type { AuthCtx, Deps } from '../deps.ts'

const NOT_OFFERED = [
  'bitbucket',
  'discord',
  'snapchat',
  'figma',
  'fly',
  'gitlab',
  'keycloak',
  'kakao',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'spotify',
  'slack',
  'slack_oidc',
  'workos',
  'twitch',
  'twitter',
  'zoom',
]

export const health = async () => ({ version: 'v2', name: 'GoTrue', description: 'The GoTrue wire protocol, served by identity' })

export async function settings({ deps: { config, oauth } }: AuthCtx) {
  return {
    external: {
      anonymous_users: config.AUTH_ANONYMOUS,
      email: true,
      phone: config.AUTH_PHONE,
      ...Object.fromEntries(NOT_OFFERED.map((name) => [name, false])),
      // By identity token only.
      apple: Boolean(config.AUTH_APPLE_CLIENT_ID),
      ...Object.fromEntries(['google', 'facebook', 'github', 'azure'].map((name) => [name, oauth.offers(name)])),
    },
    disable_signup: config.AUTH_DISABLE_SIGNUP,
    mailer_autoconfirm: config.AUTH_AUTOCONFIRM,
    phone_autoconfirm: config.AUTH_PHONE_AUTOCONFIRM,
    sms_provider: 'twilio',
    saml_enabled: false,
    saml_private_key_next_configured: false,
    passkeys_enabled: true,
  }
}

/** Where to find the keys, for libraries that look here. Signing in to other sites with it is not offered; apps are let in to /mcp alone. */
export const openIdConfiguration = ({ keys: { issuer, publicKeys } }: Deps) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  userinfo_endpoint: `${issuer}/oauth/userinfo`,
  scopes_supported: ['openid', 'profile', 'email', 'phone'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set(publicKeys.map((key) => key.alg))],
  token_endpoint_auth_methods_supported: ['none'],
  claims_supported: ['sub', 'aud', 'iss', 'exp', 'iat', 'email', 'phone'],
  code_challenge_methods_supported: ['S256'],
})
