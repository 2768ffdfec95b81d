import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceNames } from '@operon/contracts/services'
import { scratchFolder } from '@operon/deploy/machine'
import { startPostgres } from '@operon/deploy/postgres'
import { inTurn } from '@operon/deploy/turn'
import { looksAtMore, printRows, shapeOfRow } from '../growth/report.ts'
import { openGrowth, type Row } from '../growth/world.ts'

/** Short enough for CI; the default; `--rows=1000,100000,1000000` are others. */
const SHORT = [300, 1_000, 10_000]
const LONG = [1_000, 30_000, 300_000]
const LARGE = 100_000

/** How each call, export, erasure and job grows with the rows of the account that owns half of them. Ends non-zero where a screen waits for a linear one. */
export async function bench({
  short,
  only,
  sizes: asked = short ? SHORT : LONG,
  reads = false,
  jobs = false,
}: {
  short: boolean
  only?: string
  sizes?: number[]
  reads?: boolean
  jobs?: boolean
}) {
  const sizes = withMiddle(asked)
  // Gigabytes of rows go to the disk.
  const folder = sizes.at(-1)! > LARGE ? mkdtempSync(join(tmpdir(), 'operon-growth-')) : scratchFolder('growth')
  chmodSync(folder, 0o755)
  const settings = {
    shared_preload_libraries: 'pg_stat_statements',
    fsync: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    shared_buffers: short ? '256MB' : '2GB',
    max_wal_size: '4GB',
  }
  const postgres = await startPostgres({ dataDir: folder, settings })
  process.env.OPERON_TEST_PG = postgres.url
  const services = only?.split(',') ?? inTurn([...serviceNames])
  const growth = await openGrowth(postgres.url, { short, of: services, calls: !jobs, people: !jobs && !reads })
  try {
    const table = new Map<string, Row>()
    for (const size of sizes) {
      const began = performance.now()
      await growth.fillTo(size)
      console.log(`${size} rows in every table after ${((performance.now() - began) / 1000).toFixed(0)} s`)
      for (const row of await growth.measure()) {
        const known = table.get(row.name)
        if (known) {
          known.at.push(...row.at)
          known.refused ??= row.refused
        } else table.set(row.name, row)
      }
    }
    // A page of fixed size grows until it is full: whether it is shows with still more rows.
    const further = Math.round(sizes.at(-1)! * 1.5)
    const grows = (row: Row) => shapeOfRow(row, sizes, !short) === 'linear' || looksAtMore(row, sizes)
    const seemLinear = [...table.values()].filter((row) => row.at.length === sizes.length && grows(row))
    if (seemLinear.length) {
      await growth.fillTo(further)
      for (const row of await growth.measure(new Set(seemLinear.map(({ name }) => name)))) table.get(row.name)!.at.push(...row.at)
    }
    // Without blocks every row would look flat.
    const seen = [...table.values()].filter(({ at }) => at.some(({ blocks }) => blocks)).length
    if (seen < table.size / 2) throw new Error(`blocks were counted for ${seen} of ${table.size} rows`)
    const linear = printRows([...table.values()], sizes, !short, further)
    if (linear.length) process.exitCode = 1
  } finally {
    await growth.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Between two sizes a line looks like any other growth: a third one tells. */
const withMiddle = (sizes: number[]) => (sizes.length === 2 ? [sizes[0]!, Math.round(Math.sqrt(sizes[0]! * sizes[1]!)), sizes[1]!] : sizes)
