import { Fault, type Faults, type Provider } from './faults.ts'
import type { Truth } from './truth.ts'
import { json, parseJson, type Route, route } from './wire.ts'

type Options = { faults: Faults; truth: Truth; addresses: Record<Provider, string> }

/** Steers the sandbox for tests and chaos runs. */
export function controlRoutes({ faults, truth, addresses }: Options): Route[] {
  const order: Route['handle'] = (request) => {
    const parsed = Fault.safeParse(parseJson(request))
    if (!parsed.success) return json({ message: 'Not a fault.', issues: parsed.error.issues }, 400)
    faults.order(parsed.data)
    return json({ faults: faults.list() })
  }
  const clear: Route['handle'] = ({ query }) => {
    faults.clear({ provider: query.get('provider'), account: query.get('account') })
    return json({ faults: faults.list() })
  }
  const read: Route['handle'] = ({ query }) => {
    const provider = query.get('provider')
    const kind = query.get('kind')
    const filter = { ...(provider ? { provider } : {}), ...(kind ? { kind } : {}) }
    return json({ truth: truth.read({ after: Number(query.get('after') ?? 0), limit: Number(query.get('limit') ?? 1000), ...filter }) })
  }
  return [
    ...['/sandbox/faults', '/sandbox/api/faults'].flatMap((path) => [
      route('GET', path, () => json({ faults: faults.list() })),
      route('POST', path, order),
      route('DELETE', path, clear),
    ]),
    route('GET', '/sandbox/api/truth', read),
    route('GET', '/sandbox/api/addresses', () => json(addresses)),
  ]
}
