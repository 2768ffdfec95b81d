import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parameterTable } from './table.ts'
import { readSdk } from './types.ts'

// Writes what each operation takes, as the installed SDK says: after a new version of it, or a new line in `played.ts`.

export const tablePath = join(import.meta.dirname, '../parameters.gen.ts')

export function textOf(sdk = readSdk()): string {
  const lines = Object.entries(parameterTable(sdk)).map(([name, table]) => `  ${JSON.stringify(name)}: ${JSON.stringify(table)},\n`)
  return `import type { Table } from './parameters.ts'\n\n// Written by sdk/write.ts.\nexport const tables: Record<string, Table> = {\n${lines.join('')}}\n`
}

if (import.meta.main) writeFileSync(tablePath, textOf())
