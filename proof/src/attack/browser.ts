import type { Attack } from './world.ts'

// S10-S12: what a page of somebody else's can do through a visitor's browser.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const nobody = await world.actor('anonymous')
  const evil = 'https://evil.example'

  for (const path of [
    '/',
    '/auth/v1/settings',
    '/rest/v1/marketplace_items',
    '/functions/v1/platform-info',
    '/openapi.json',
    '/nowhere',
    '/sandbox/inbox',
  ]) {
    const { headers } = await world.call(
      nobody,
      path.startsWith('/functions') ? 'POST' : 'GET',
      path,
      path.startsWith('/functions') ? {} : undefined,
      { origin: evil },
    )
    tried++
    if (headers.get('set-cookie')) findings.push(`${path} sets a cookie, which a foreign page could ride on`)
    if (headers.get('access-control-allow-credentials')) findings.push(`${path} lets foreign pages send credentials`)
    if (headers.get('x-content-type-options') !== 'nosniff') findings.push(`${path} has no nosniff`)
    if (!headers.get('referrer-policy')) findings.push(`${path} has no Referrer-Policy`)
    const policy = headers.get('content-security-policy') ?? ''
    if (!policy && headers.get('content-type')?.startsWith('text/html')) findings.push(`${path} has no content security policy`)
    if (/script-src[^;]*'unsafe-(inline|eval)'/.test(policy)) findings.push(`${path} lets inline scripts run`)
    if (headers.get('x-powered-by') || headers.get('server')) findings.push(`${path} says what it is made of`)
  }

  const redirects = [
    evil,
    '//evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    `${world.platform.url}@evil.example`,
    `${world.platform.url}.evil.example`,
    'http://localhost.evil.example',
    '/\\evil.example',
    `${world.platform.url}\\@evil.example`,
  ]
  for (const to of redirects) {
    for (const path of [
      `/auth/v1/authorize?provider=google&redirect_to=${encodeURIComponent(to)}`,
      `/auth/v1/verify?type=signup&token=x&redirect_to=${encodeURIComponent(to)}`,
      `/auth/v1/callback?error=denied&state=x&redirect_to=${encodeURIComponent(to)}`,
    ]) {
      tried++
      const { headers } = await world.call(nobody, 'GET', path)
      const location = headers.get('location')
      if (location && leadsAway(location, world.platform.url)) findings.push(`${path} leads to ${location}`)
    }
  }
  // A token in the path of a static file, a host that is not ours: links are made from PUBLIC_URL alone.
  const { text } = await world.call(nobody, 'GET', '/openapi.json', undefined, {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
  })
  tried++
  if (text.includes('evil.example')) findings.push('a forwarded host ends up in links')
  return { tried, findings }
}

function leadsAway(location: string, home: string): boolean {
  const url = new URL(location, home)
  return (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname.endsWith('evil.example')
}
