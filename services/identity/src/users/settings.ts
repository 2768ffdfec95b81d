import type { AuthCtx } from '../deps.ts'

const NOT_OFFERED = [
  'apple',
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
      ...Object.fromEntries(['google', 'facebook', 'github', 'azure'].map((name) => [name, oauth.offers(name)])),
    },
    disable_signup: config.AUTH_DISABLE_SIGNUP,
    mailer_autoconfirm: config.AUTH_AUTOCONFIRM,
    phone_autoconfirm: false,
    sms_provider: 'twilio',
    saml_enabled: false,
    saml_private_key_next_configured: false,
    passkeys_enabled: false,
  }
}
