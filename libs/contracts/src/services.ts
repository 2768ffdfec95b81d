// Names only, no zod: the launchers, the gateway and the web app share them. A new one goes last: ports that other machines know follow this order.
export const serviceNames = [
  'identity',
  'billing',
  'marketplace',
  'integrations',
  'ai-gateway',
  'analytics',
  'crm',
  'sandbox',
  'media',
] as const
export type ServiceName = (typeof serviceNames)[number]
export type ProcessName = ServiceName | 'gateway'
