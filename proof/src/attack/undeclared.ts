import { routesOf } from '@operon/kit/http'
import type { Attack } from './world.ts'

/** The doors that are no operation: what operators ask, and the app itself. */
const known = /^(GET|HEAD) \/(healthz|readyz|statusz|metrics|openapi\.json|docs)$/

// S7: every route that a service mounts is in the document, and nothing that is not is reachable through the door.
export const attack: Attack = async (world) => {
  const declared = new Set(
    world.operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{path\}$/g, '*').replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const tables = new Set(world.operations.flatMap(({ table }) => (table ? [`/rest/v1/${table}`] : [])))
  const findings: string[] = []
  let tried = 0
  for (const [name, service] of Object.entries(world.platform.services!)) {
    for (const route of new Set(routesOf(service.app))) {
      tried++
      const [method, path = ''] = route.split(' ')
      // A read answers HEAD as well; a table answers each verb, refused where its contract names none.
      if (method === 'HEAD' || method === 'OPTIONS' || tables.has(path) || path.startsWith(`/files/v1/${name}/`)) continue
      if (!declared.has(route) && !known.test(route)) findings.push(`${name} answers ${route}, which is in no document`)
    }
  }
  const nobody = await world.actor('anonymous')
  for (const path of [
    '/admin',
    '/internal',
    '/debug',
    '/.env',
    '/.git/config',
    '/auth/v1/admin',
    '/auth/v1/internal',
    '/rest/v1/users',
    '/rest/v1/sessions',
    '/rest/v1/outbox',
    '/rest/v1/inbox',
    '/functions/v1/eval',
    '/ai/v1/keys',
    '/files/v1/billing/../../x',
    '/server-status',
    '/graphql',
  ]) {
    tried++
    const { status } = await world.call(nobody, 'GET', path)
    if (status < 400) findings.push(`GET ${path} answered ${status}`)
  }
  return { tried, findings }
}
