/** Prerendered pages carry marks; the gateway writes the installation's name and addresses over them, in the text and in the page's head. */
const nameMark = '__PRODUCT_NAME__'

const [email, support, security] = currentContacts()

export const product = {
  name: currentName(),
  tagline: 'The AI operating system for small business',
  description:
    'Leads, content, calls, campaigns and payments in one place, with an assistant that can work all of it. Start with a 3-day free trial.',
  email,
  support,
  security,
} as const

function currentName() {
  if (import.meta.env?.PRERENDER) return nameMark
  const said = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content
  return said && said !== nameMark ? said : 'Operon'
}

function currentContacts(): [email: string, support: string, security: string] {
  const marks = '__CONTACT_EMAIL__ __SUPPORT_EMAIL__ __SECURITY_EMAIL__'
  const said = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="contacts"]')?.content
  const here = said && said !== marks ? said : 'hello@operon.example support@operon.example security@operon.example'
  return (import.meta.env?.PRERENDER ? marks : here).split(' ') as [string, string, string]
}
