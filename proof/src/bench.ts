import { stopOnSignals } from '@operon/deploy/launcher'
import { abandonPostgres } from '@operon/deploy/postgres'

// `npm run bench [<name>] [-- --short]`: one benchmark a file in bench/, its raw figures and ratios last; without a name all of them, one after another.
// `--rows=1000,100000,1000000` are the sizes of `growth`, which leaves the export and the erasure out with `--reads` and times the periodic jobs alone with `--jobs`.
// `--only=alone` runs that part of a benchmark that has parts; of `growth` these are services, with commas between them.
type Bench = {
  bench(options: {
    short: boolean
    only?: string | undefined
    sizes?: number[] | undefined
    reads?: boolean
    jobs?: boolean
  }): Promise<void>
}
const benches: Record<string, () => Promise<Bench>> = {
  gateway: () => import('./bench/gateway.ts'),
  billing: () => import('./bench/billing.ts'),
  identity: () => import('./bench/identity.ts'),
  ai: () => import('./bench/ai.ts'),
  web: () => import('./bench/web.ts'),
  marketplace: () => import('./bench/marketplace.ts'),
  cost: () => import('./bench/cost.ts'),
  events: () => import('./bench/events.ts'),
  growth: () => import('./bench/growth.ts'),
  media: () => import('./bench/media.ts'),
  connections: () => import('./bench/connections.ts'),
  crm: () => import('./bench/crm.ts'),
}

const args = process.argv.slice(2)
const short = args.includes('--short') || process.env.BENCH_SHORT === '1'
const only = args.find((arg) => arg.startsWith('--only='))?.slice(7)
const sizes = args
  .find((arg) => arg.startsWith('--rows='))
  ?.slice(7)
  .split(',')
  .map(Number)
const asked = args.filter((arg) => !arg.startsWith('--'))
const option = /^--(?:short|reads|jobs|only=.+|rows=[\d,]+)$/
const unknown = args.find((arg) => (arg.startsWith('--') ? !option.test(arg) : !(arg in benches)))
if (unknown) {
  console.error(`There is no ${unknown}: npm run bench ${Object.keys(benches).join(' | ')} [-- --short --reads --jobs --only=… --rows=…]`)
  process.exit(1)
}
// A benchmark that is ended takes its PostgreSQL along.
stopOnSignals(async () => abandonPostgres())
for (const name of asked.length ? asked : Object.keys(benches)) {
  console.log(`== ${name}`)
  const { bench } = await benches[name]!()
  await bench({ short, only, sizes, reads: args.includes('--reads'), jobs: args.includes('--jobs') })
}
process.exit()
