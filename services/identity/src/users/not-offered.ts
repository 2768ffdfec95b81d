import type { notOffered } from '@operon/contracts/identity/off'
import { refuse } from '../deps.ts'

const answers: Record<keyof typeof notOffered, [code: string, message: string]> = {
  saml: ['saml_provider_disabled', 'SAML 2.0 is disabled'],
  ssoProvider: ['sso_provider_not_found', 'SSO Identity Provider not found'],
  oauthServer: ['feature_disabled', 'OAuth server is disabled'],
  customProviders: ['feature_disabled', 'Custom OAuth providers are disabled'],
  scim: ['feature_disabled', 'SCIM server is disabled'],
}

export async function refuseOff(feature: keyof typeof notOffered): Promise<never> {
  const [code, message] = answers[feature]
  throw refuse(404, code, message)
}
