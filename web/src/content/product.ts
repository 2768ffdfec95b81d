/** The name baked into the prerendered pages. Signed-in screens take it from the server (`usePlatform`). */
export const product = {
  name: 'Operon',
  tagline: 'The AI operating system for small business',
  description:
    'Leads, content, calls, campaigns and payments in one place, with an assistant that can work all of it. Start with a 3-day free trial.',
  email: 'hello@operon.example',
  support: 'support@operon.example',
  security: 'security@operon.example',
} as const
