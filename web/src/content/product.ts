/** Prerendered pages carry this mark; the gateway writes PRODUCT_NAME over it, in the text and in the page's `application-name`. */
export const nameMark = '__PRODUCT_NAME__'

export const product = {
  name: currentName(),
  tagline: 'The AI operating system for small business',
  description:
    'Leads, content, calls, campaigns and payments in one place, with an assistant that can work all of it. Start with a 3-day free trial.',
  email: 'hello@operon.example',
  support: 'support@operon.example',
  security: 'security@operon.example',
} as const

function currentName() {
  if (import.meta.env?.PRERENDER) return nameMark
  const said = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content
  return said && said !== nameMark ? said : 'Operon'
}
