// Names only, no zod: the launchers, the gateway and the web app share them.
export const serviceNames = [
  'identity',
  'billing',
  'marketplace',
  'integrations',
  'ai-gateway',
  'media',
  'analytics',
  'crm',
  'sandbox',
] as const
export type ServiceName = (typeof serviceNames)[number]
export type ProcessName = ServiceName | 'gateway'
