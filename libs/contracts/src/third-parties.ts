/** Whom a stand-in of the sandbox may play, by the names that people know. */
export const thirdParties = {
  stripe: 'Stripe',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  perplexity: 'Perplexity',
  fal: 'fal',
  elevenlabs: 'ElevenLabs',
  rdap: 'domain registries',
  smtp: 'mail',
  sms: 'SMS',
  oauth: 'sign-in with others',
  apps: 'connected apps',
} as const
export type ThirdParty = keyof typeof thirdParties
