import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { SerializedError } from 'vitest'
import type { Reporter } from 'vitest/node'

export type StrayError = { file: string; message: string }

/** Vitest's JSON report leaves out the errors that no test caught: this one keeps them, with the file that ran. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export
export default class StrayErrors implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly SerializedError[]) {
    const strays = errors.map((error): StrayError => {
      const file = typeof error.VITEST_TEST_PATH === 'string' ? relative(process.cwd(), error.VITEST_TEST_PATH) : ''
      return { file, message: error.stack ?? error.message }
    })
    writeFileSync(process.env.STRAY_ERRORS!, JSON.stringify(strays))
  }
}
