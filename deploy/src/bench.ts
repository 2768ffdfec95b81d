// `npm run bench <name>`: one benchmark a file in bench/, its raw figures and ratios last.
const benches: Record<string, () => Promise<{ bench(options: { short: boolean }): Promise<void> }>> = {
  gateway: () => import('./bench/gateway.ts'),
  billing: () => import('./bench/billing.ts'),
  identity: () => import('./bench/identity.ts'),
  ai: () => import('./bench/ai.ts'),
}

const [name = '', ...flags] = process.argv.slice(2)
const load = benches[name]
if (!load) {
  console.error(`Which one? npm run bench ${Object.keys(benches).join(' | ')} [-- --short]`)
  process.exit(1)
}
const { bench } = await load()
await bench({ short: flags.includes('--short') || process.env.BENCH_SHORT === '1' })
